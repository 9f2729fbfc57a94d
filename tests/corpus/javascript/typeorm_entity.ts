import { Column, Entity, PrimaryGeneratedColumn, Repository } from 'typeorm';

@Entity({ name: 'entity_facts' })
export class EntityFact {
  @PrimaryGeneratedColumn() id!: number;

  @Column({ name: 'data_type', type: 'text' })
  kind!: string;
}

@Entity('export_columns')
export class ExportColumn {
  @PrimaryGeneratedColumn() id!: number;
  @Column() data_type!: string;
}

export const temp = (repo: Repository<EntityFact>) =>
  repo.createQueryBuilder('f').where('f.kind = :k', { k: 'temporary' }).getMany();
