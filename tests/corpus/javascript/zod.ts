export const Fact = z.object({ data_type: z.enum(['permanent', 'observation']) }); // entity_facts
