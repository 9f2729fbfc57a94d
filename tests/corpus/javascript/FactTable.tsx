import React, { useEffect, useState } from 'react';
import { supabase } from '../lib/supabase';

const COLUMNS = ['key', 'value', 'data_type'] as const;

export function FactTable({ entityId }: { entityId: number }) {
  const [rows, setRows] = useState<any[]>([]);
  useEffect(() => {
    supabase
      .from('entity_facts')
      .select(COLUMNS.join(','))
      .eq('entity_id', entityId)
      .order('data_type')
      .then(({ data }) => setRows(data ?? []));
  }, [entityId]);
  return <table>{rows.map((r) => <tr key={r.key}><td>{r.data_type}</td></tr>)}</table>;
}
