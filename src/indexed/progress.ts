import type { Pool } from 'pg';
import type { Chain } from '../platform/chains.ts';
import { viewsSchema } from './schema-names.ts';

/** How far the indexer of a chain is. */
export interface Progress {
  /** False while it reads the past, and for the seconds after a restart in which its newest rows are missing. */
  ready: boolean;
  /** Newest block whose rows are there. */
  block: bigint;
}

/** Ponder's checkpoint is a number of 75 digits; these are the block's. */
const blockDigits = 'substring(latest_checkpoint, 27, 16)::bigint';

/** Reads the progress; undefined when the indexer has never been ready. */
export async function readProgress(pool: Pool, chain: Chain): Promise<Progress | undefined> {
  const schema = viewsSchema(chain);
  try {
    const { rows } = await pool.query<Progress>(
      `select coalesce(value->>'is_ready', '0') = '1' as ready, ${blockDigits} as block from "${schema}"._ponder_meta, "${schema}"._ponder_checkpoint where key = 'app'`,
    );
    return rows[0];
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}

/** Whether a query failed because the indexer has not made its tables yet. */
export function isMissingTable(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '42P01' || code === '3F000';
}
