export const all = (prisma: PrismaClient) =>
  prisma.entities.findMany({ include: { entity_facts: { where: { data_type: 'permanent' } } } });
