import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Chain } from '../platform/chains.ts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import type { NetworkSettings } from '../platform/settings.ts';

const folder = new URL('../../indexer/', import.meta.url);

/** Views over the tables of the deployment that is current; readers use these. */
export function viewsSchema(chain: Chain): string {
  return `idx_${chain}`;
}

/**
 * Tables of one deployment. Named after all that Ponder's build id and the chain's history depend on, because Ponder
 * refuses a schema of another build and trusts old rows of a chain that has begun anew.
 */
export function tablesSchema({ chain, tokens, startBlock, genesis }: NetworkSettings): string {
  const hash = createHash('sha256').update(JSON.stringify([tokens, startBlock, genesis.name, eMoneyTokenAbi]));
  for (const name of [
    'ponder.schema.ts',
    '../src/indexed/refusals.ts',
    ...readdirSync(new URL('src/', folder))
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `src/${file}`),
  ].sort()) {
    hash.update(readFileSync(new URL(name, folder)));
  }
  return `${viewsSchema(chain)}_${hash.digest('hex').slice(0, 8)}`;
}

/** Tables of the same deployment that were rebuilt so often; those that never were have the name without a number. */
export function rebuiltSchema(schema: string, number: number): string {
  return number === 0 ? schema : `${schema}_${number}`;
}

/** Channel on which Ponder notifies of every block, with the tables that it changed. Internal to it, so there is always a poll behind. */
export function channelOf(schema: string): string {
  return `${schema}_live_query`;
}

/** Whether a notification on that channel says that outcomes have come or gone. */
export function hasOutcomes(payload: string): boolean {
  return payload.includes('"outcome"');
}
