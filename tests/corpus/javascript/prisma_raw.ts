export async function count(prisma: PrismaClient) {
  const where = Prisma.sql`WHERE data_type = 'identity'`;
  return prisma.$queryRaw<Row[]>`SELECT data_type, count(*) FROM entity_facts ${where} GROUP BY data_type`;
}
