import { sql } from 'kysely';
import { isComplete } from '../indexed/newest-rows.ts';
import { indexedBlock, indexerHeartbeat } from '../indexed/progress.ts';
import { readIndexed } from '../indexed/read-indexed.ts';
import { indexedSupplyAt } from '../indexed/supply.ts';
import { tokensOn } from '../ledger/book/accounts.ts';
import { newestSettledLeg } from '../ledger/lanes/decided-legs.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { compareAmounts, type Comparison } from '../ledger/reserve/comparison.ts';
import { unitsPerMinorUnit } from '../ledger/units-in-sql.ts';
import { type Currency, minorUnits, type TokenUnits, tokenUnits, toMinorUnits } from '../platform/money.ts';
import type { NetworkSettings } from '../platform/settings.ts';

/** The supply of a token as the index has it at a block. */
interface IndexedSupply {
  currency: Currency;
  token: `0x${string}`;
  /** Token units, with those that were in circulation before the index begins. */
  supply: TokenUnits;
}

/** More than reorganisations replace on networks that say themselves what is final, and fewer than the blocks whose state a node without archive keeps. */
const replaceableBlocks = 32;

/** The indexed supplies of a network's tokens, and the block at which they are so. */
export interface IndexedSupplies {
  block: bigint;
  /** When the indexer last wrote that it lives, in milliseconds since 1970. */
  heartbeat: string | null;
  tokens: IndexedSupply[];
}

/**
 * Reads in one snapshot the indexed supplies of a network below the blocks that a reorganisation may replace: an indexer that has not noticed one yet has
 * their rows in its newest blocks. Undefined while the indexer is not ready.
 */
export async function readIndexedSupplies(
  ledger: Ledger,
  { chain, tokens, confirmations, startBlock }: NetworkSettings,
): Promise<IndexedSupplies | undefined> {
  const depth = typeof confirmations === 'number' ? confirmations : replaceableBlocks;
  const list = Object.entries(tokens).map(([currency, token]) => ({ currency, token }));
  const query = sql<{ currency: Currency; token: `0x${string}`; ready: boolean; block: bigint; heartbeat: string | null; supply: string }>`
    select t.currency, t.token, ${isComplete(chain, newestSettledLeg)} as ready, compared.block, ${indexerHeartbeat(chain)} as heartbeat,
      (${indexedSupplyAt(chain, sql.ref('t.token'), sql.ref('compared.block'))}
        + coalesce((select o.supply * ${unitsPerMinorUnit} from token_openings o where o.chain = ${chain} and o.token = t.token), 0))::text as supply
    from jsonb_to_recordset(${JSON.stringify(list)}::jsonb) as t(currency text, token text),
      (select greatest(${indexedBlock(chain)} - ${depth}::bigint, ${startBlock}::bigint - 1, 0) as block) as compared
    order by t.currency`;
  const rows = (await readIndexed(() => query.execute(ledger)))?.rows ?? [];
  const [first] = rows;
  if (first === undefined || !first.ready) return undefined;
  return {
    block: first.block,
    heartbeat: first.heartbeat,
    tokens: rows.map(({ currency, token, supply }) => ({ currency, token, supply: tokenUnits(BigInt(supply)) })),
  };
}

/** Compares the indexed supplies of a network with what its nodes say of the same block, in the same order. */
export function compareIndexWithNodes(
  { chain }: Pick<NetworkSettings, 'chain'>,
  { tokens }: IndexedSupplies,
  supplies: readonly TokenUnits[],
): Comparison[] {
  return tokens.map(({ currency, supply }, index) => {
    const [expected, actual] = [toMinorUnits(supply), toMinorUnits(supplies[index] ?? tokenUnits(0n))];
    const subject = { comparison: 'nodes', currency, account: tokensOn(chain), chain } as const;
    return compareAmounts(subject, { expected, actual: minorUnits(actual), items: [] });
  });
}
