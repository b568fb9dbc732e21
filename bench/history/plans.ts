import type { Pool } from 'pg';
import type { RecordedStatement } from './recorded-pool.ts';

/** Rows from which on a table counts as large: reading all of it grows with history. */
const largeRows = 20_000;

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  Schema?: string;
  Plans?: PlanNode[];
}

/** What the plans of some statements read. */
export interface PlanFindings {
  /** Large tables and partitions that a plan reads from one end to the other. */
  scanned: string[];
  /** Most partitions of one table that one statement may read. */
  partitions: number;
}

/** Looks for tables that are read whole, and counts partitions, in the plans that PostgreSQL makes for these statements. */
export async function examinePlans(pool: Pool, statements: readonly RecordedStatement[]): Promise<PlanFindings> {
  const { rows } = await pool.query<{ name: string; parent: string | null; rows: number }>(
    `select n.nspname || '.' || c.relname as name, i.inhparent::regclass::text as parent, c.reltuples::float8 as rows
     from pg_class c join pg_namespace n on n.oid = c.relnamespace left join pg_inherits i on i.inhrelid = c.oid where c.relkind = 'r'`,
  );
  const tables = new Map(rows.map((row) => [row.name, row]));
  const scanned = new Set<string>();
  let partitions = 0;
  for (const { text, values } of statements.filter((statement) =>
    /^\s*(\/\*.*?\*\/)?\s*(select|with|insert|update|delete)\b/i.test(statement.text),
  )) {
    const nodes = await planOf(pool, text, values);
    const read = nodes.flatMap((node) =>
      node['Relation Name'] === undefined ? [] : [{ node, table: tables.get(`${node.Schema}.${node['Relation Name']}`) }],
    );
    for (const { node, table } of read) if (node['Node Type'] === 'Seq Scan' && table && table.rows > largeRows) scanned.add(table.name);
    const perTable = Map.groupBy(new Set(read.flatMap(({ table }) => (table?.parent ? [table] : []))), (table) => table.parent);
    partitions = Math.max(partitions, ...[...perTable.values()].map((list) => list.length));
  }
  return { scanned: [...scanned], partitions };
}

async function planOf(pool: Pool, text: string, values: unknown[]): Promise<PlanNode[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(`explain (format json, verbose) ${text}`, values);
  return rows.flatMap((row) => row['QUERY PLAN'].flatMap(({ Plan }) => nodesOf(Plan)));
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
