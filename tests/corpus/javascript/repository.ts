@Entity({ name: 'entity_facts', schema: 'public' })
export class Fact { @Column('varchar', { length: 20 }) data_type: string; }

export class Facts {
  constructor(@InjectRepository(Fact) private readonly facts: Repository<Fact>) {}
  find(type: string) {
    return this.facts.find({ where: { data_type: type } });
  }
  build() {
    return this.facts.createQueryBuilder('f').where('f.data_type = :type', { type: 'x' }).getMany();
  }
}
