const TABLE = 'entity_facts';
export function row(data_type) {
  const short = { TABLE, data_type };
  const quoted = { 'data_type': 1 };
  const computed = { [`data_type`]: 2, ["data_type"]: 3 };
  const { data_type: renamed } = short;
  const { inner: { data_type = 'x' } } = computed;
  return [quoted?.data_type, quoted?.['data_type'], renamed];
}
