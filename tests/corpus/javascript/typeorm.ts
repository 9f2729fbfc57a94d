@Entity('entity_facts')
export class Fact {
  @PrimaryGeneratedColumn() id!: number;
  @Column({ nullable: true }) data_type?: string;
}
@Entity({ name: 'sensors' })
export class Sensor {
  @Column({ name: 'data_type' }) data_type!: string;
}
export const find = (ds: DataSource) => ds.getRepository(Fact).find({ where: { data_type: 'permanent' } });
export const other = (ds: DataSource) => ds.getRepository(Sensor).find({ where: { data_type: 'permanent' } });
