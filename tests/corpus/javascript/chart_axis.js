export function axisFor(series) {
  const { data_type, values } = series;
  if (data_type === 'date') {
    return values.map((v) => new Date(v));
  }
  return data_type === 'int' ? values.map(Number) : values;
}
