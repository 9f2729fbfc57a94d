export const TABLE = 'entity_facts';
export interface Fact { id: number; data_type?: string | null }
export type Row = { 'data_type': string };
export type Short = Pick<Fact, 'id' | 'data_type'>;
export type Kind = Fact['data_type'];
export enum Column { data_type = 'data_type' }
export class Fact2 {
  data_type: string = 'observation';
  constructor(private readonly id: number, public data_type2: string) { this.data_type = data_type2; }
}
export class Fact3 { constructor(public data_type: string) {} }
