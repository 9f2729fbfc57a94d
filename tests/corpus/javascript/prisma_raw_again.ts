import { Prisma, PrismaClient } from '@prisma/client';

const prisma = new PrismaClient();

export const byKind = (kind: string) => prisma.entity_facts.findMany({ where: { data_type: kind } });

export const create = (entity_id: bigint, key: string, value: string) =>
  prisma.entity_facts.create({ data: { entity_id, key, value, data_type: 'observation' } });

export const stats = () =>
  prisma.$queryRaw<{ data_type: string; n: bigint }[]>(Prisma.sql`
    SELECT data_type, count(*) AS n FROM entity_facts GROUP BY 1`);
