@Entity('entity_facts')
export class Fact {
  @Column({ name: 'data_type' }) dataType!: string;
}
