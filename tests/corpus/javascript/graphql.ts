export const resolvers = { Fact: { kind: (fact) => fact.data_type } };
