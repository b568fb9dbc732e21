import type { Pool, PoolClient } from 'pg';
import { countedRows } from '../../src/ledger/page.ts';
import { createPool } from '../../src/platform/database.ts';

/** How the server plans statements: `custom` for the values of each execution, `generic` once for all values of a prepared statement. */
export type PlanMode = 'custom' | 'generic';

/** What the execution of a statement read, by its plan. */
export interface ExecutedPlan {
  text: string;
  /** Rows of each table or partition that it visited, those that a filter removed included. */
  rowsRead: Map<string, number>;
  /** Tables and partitions that it read from one end to the other. */
  scanned: string[];
  /** Scans of each table or partition, by index or not. */
  scans: Scan[];
  /** The indexes of those scans. */
  indexes: string[];
  /** What the planner expected it to cost. */
  cost: number;
  /** Pages that it visited. */
  pages: number;
  /** The plan as PostgreSQL prints it, for the text of a failure. */
  plan: string;
}

/** A scan of a table or of an index, in all of its loops together. */
interface Scan {
  name: string;
  /** By which index, if by one. */
  index: string | undefined;
  loops: number;
  /** Rows that it visited. */
  rows: number;
  /** Pages that it visited, those of the plans below it left out. */
  pages: number;
}

/** A pool whose statements come with their plans. */
export interface ExplainingPool {
  pool: Pool;
  /** The plans since the last call, those of statements in functions and triggers included. */
  take: () => ExecutedPlan[];
}

/** A pool of the ledger that learns from the server's `auto_explain` which plan each statement of the program was executed with. */
export function createExplainingPool(connectionString: string, mode: PlanMode): ExplainingPool {
  const plans: ExecutedPlan[] = [];
  const pool = createPool({ connectionString, max: 4 });
  pool.on('connect', (client: PoolClient) => {
    client.on('notice', ({ message }) => {
      const json = message?.match(/^duration: .* plan:\n(.*)$/s)?.[1];
      if (json !== undefined) plans.push(executedPlan(JSON.parse(json)));
    });
    void client.query(`
      load 'auto_explain';
      set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_timing = off; set auto_explain.log_buffers = on;
      set auto_explain.log_nested_statements = on; set auto_explain.log_format = json; set auto_explain.log_level = notice;
      set jit = off; set plan_cache_mode = force_${mode}_plan`);
  });
  return { pool, take: () => plans.splice(0) };
}

/** Rows from which on a table counts as one that grows: reading all of it grows with history. */
const growingRows = 2_000;

/** The tables and partitions with so many rows that they must not be read from one end to the other. Their rows are counted, because a planner's guess may be old. */
export async function growingTables(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ schema: string; name: string }>(
    `select n.nspname as schema, c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and (n.nspname in ('ledger', 'partitions') or n.nspname like 'idx\\_%') and pg_relation_size(c.oid) > 0`,
  );
  const growing = new Set<string>();
  for (const { schema, name } of rows) {
    const counted = await pool.query(`select from "${schema}"."${name}" limit ${growingRows}`);
    if (counted.rowCount === growingRows) growing.add(name);
  }
  return growing;
}

/** Pages that a scan may visit besides: of rows that are dead, and of a small index as a whole. */
const mostPagesOfNone = 16;

/** Pages that a scan visits in each loop on its way to its first row, and those for each row, which may have an id of its own to be looked up by. */
const pagesOfLoop = 8;
const pagesOfRow = 5;

/**
 * Why the cost of a plan grows with history: the tables that it reads as a whole, those of which it reads more than `mostRows`, and the scans with far more
 * pages than rows, which walk through an index to find little; empty when it does not.
 */
export function growthOf(plan: ExecutedPlan, growing: ReadonlySet<string>, mostRows: number): string[] {
  const walks = plan.scans
    .filter(({ loops, rows, pages }) => pages > mostPagesOfNone + pagesOfLoop * loops + pagesOfRow * rows)
    .map(
      ({ name, index, loops, rows, pages }) =>
        `visits ${pages} pages of ${name} by ${index ?? 'no index'} for ${rows} rows in ${loops} loops`,
    );
  return [...growthOfRows(plan, growing, mostRows), ...walks];
}

function growthOfRows({ text, rowsRead, scanned }: ExecutedPlan, growing: ReadonlySet<string>, mostRows: number): string[] {
  // A total is counted up to a fixed number of rows, so that a small table may be read as a whole for it.
  if (text.startsWith('select count(*)::float8 as count from '))
    return [...rowsRead].filter(([, rows]) => rows > countedRows * 10).map(([table, rows]) => `counts ${rows} rows of ${table}`);
  return [
    ...scanned.filter((table) => growing.has(table)).map((table) => `reads all of ${table}`),
    ...[...rowsRead]
      .filter(([table, rows]) => growing.has(table) && rows > mostRows)
      .map(([table, rows]) => `reads ${rows} rows of ${table}`),
  ];
}

interface PlanNode {
  'Node Type': string;
  Schema?: string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Total Cost': number;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
}

function executedPlan(explained: { 'Query Text': string; Plan: PlanNode }): ExecutedPlan {
  const { 'Query Text': text, Plan: root } = explained;
  const rowsRead = new Map<string, number>();
  const scanned = new Set<string>();
  const scans: Scan[] = [];
  const indexes: string[] = [];
  for (const node of nodesOf(root)) {
    const table = node['Relation Name'];
    const name = table ?? node['Index Name'];
    if (name === undefined || !node['Node Type'].includes('Scan')) continue;
    if (node['Index Name'] !== undefined) indexes.push(node['Index Name']);
    const loops = node['Actual Loops'] ?? 0;
    const perLoop = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
    const rows = Math.round(perLoop * loops);
    scans.push({
      name,
      index: node['Index Name'],
      loops,
      rows,
      pages: pagesOf(node) - (node.Plans ?? []).reduce((pages, below) => pages + pagesOf(below), 0),
    });
    if (table === undefined) continue;
    rowsRead.set(table, (rowsRead.get(table) ?? 0) + rows);
    if (node['Node Type'] === 'Seq Scan' && loops > 0) scanned.add(table);
  }
  const cost = root['Total Cost'];
  return { text, rowsRead, scanned: [...scanned], scans, indexes, cost, pages: pagesOf(root), plan: JSON.stringify(root, undefined, 1) };
}

/** The pages that a node and those below it visited. */
function pagesOf(node: PlanNode): number {
  return (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
