export const all = (prisma: PrismaClient) =>
  prisma.entityFacts.findMany({ where: { data_type: 'permanent' } });
