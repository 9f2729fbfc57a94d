export function row(data_type) {
  const made = { data_type };
  const { data_type: renamed } = made;
  return made.data_type + renamed;
}
