import React, { useState } from 'react';

export function UploadForm() {
  const [kind, setKind] = useState('csv');
  return (
    <form action="/upload" method="post">
      <select name="data_type" value={kind} onChange={(e) => setKind(e.target.value)}>
        <option value="csv">CSV</option>
        <option value="parquet">Parquet</option>
      </select>
    </form>
  );
}
