export interface GridColumn {
  field: string;
  data_type: 'string' | 'number' | 'date';
}

export const columns: GridColumn[] = [
  { field: 'name', data_type: 'string' },
  { field: 'size', data_type: 'number' },
];
