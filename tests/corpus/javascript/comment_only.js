/**
 * Computes the retention of a fact.
 * The former column entity_facts.data_type is not consulted.
 */
export function retention(fact) {
  // 'permanent' used to be a data_type
  return fact.durability === 'long' ? Infinity : 30;
}
