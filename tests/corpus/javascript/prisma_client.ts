export async function main(prisma: PrismaClient) {
  await prisma.entity_facts.findMany({
    where: { data_type: 'permanent', OR: [{ data_type: { in: ['identity'] } }] },
    select: { id: true, data_type: true },
    orderBy: { data_type: 'asc' },
  });
  await prisma.entity_facts.create({ data: { data_type: 'mood' } });
  await prisma.sensors.update({ where: { data_type: 'x' }, data: { data_type: 'y' } });
}
