import React from 'react';
import type { Database } from './supabase.types';

type Fact = Database['public']['Tables']['entity_facts']['Row'];

export function FactBadge({ fact }: { fact: Fact }) {
  const colour = fact.data_type === 'permanent' ? 'green' : 'grey';
  return (
    <span style={{ color: colour }} title={fact.key}>
      {fact.data_type}
    </span>
  );
}
