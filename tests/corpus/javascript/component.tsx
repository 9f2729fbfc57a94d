// entity_facts
export const Row = ({ data_type }: Props) => (
  <Badge data_type={data_type} title="data_type">the data_type is {fact.data_type}</Badge>
);
