import { BigQuery } from '@google-cloud/bigquery';

export async function columnTypes(bq: BigQuery, dataset: string) {
  const [rows] = await bq.query(
    `SELECT column_name, data_type FROM ${dataset}.INFORMATION_SCHEMA.COLUMNS`,
  );
  return new Map(rows.map((r) => [r.column_name, r.data_type]));
}
