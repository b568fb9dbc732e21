import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import type { Currency, MinorUnits } from '../../platform/money.ts';
import { accounts, tokensOn } from '../book/accounts.ts';
import { type NewEntry, recordEntries } from '../book/entries.ts';
import { inTransaction, type Ledger } from '../ledger.ts';

/** A token that was in circulation before this ledger issued it: its supply is no money that this ledger received. */
export interface TokenOpening {
  chain: Chain;
  token: LowerAddress;
  currency: Currency;
  /** The block behind which the ledger's books begin. */
  block: bigint;
  /** In circulation behind that block, in minor units. */
  supply: MinorUnits;
}

/** All openings, by chain, currency and token. */
export async function listTokenOpenings(ledger: Ledger): Promise<TokenOpening[]> {
  return ledger
    .selectFrom('tokenOpenings')
    .select(['chain', 'token', 'currency', 'block', 'supply'])
    .orderBy('chain')
    .orderBy('currency')
    .orderBy('token')
    .execute();
}

/**
 * Opens the books of a token: with its supply, and with the sequence number from which on the contract has used none. An opening that is
 * recorded already stays, and the numbers never go back.
 */
export async function recordTokenOpening(ledger: Ledger, opening: TokenOpening, firstFreeSequence: bigint): Promise<void> {
  const { chain, token, supply } = opening;
  await inTransaction(ledger, async (tx) => {
    const opened = await tx
      .insertInto('tokenOpenings')
      .values(opening)
      .onConflict((conflict) => conflict.doNothing())
      .returning('token')
      .execute();
    if (opened.length > 0 && supply > 0n) await recordEntries(tx, [openingEntry(opening)]);
    await tx
      .insertInto('tokenSequences')
      .values({ chain, token, next: firstFreeSequence })
      .onConflict((conflict) =>
        conflict.columns(['chain', 'token']).doUpdateSet({ next: sql<bigint>`greatest(token_sequences.next, excluded.next)` }),
      )
      .execute();
  });
}

function openingEntry({ chain, token, currency, supply }: TokenOpening): NewEntry {
  return { kind: 'opening', source: `${chain}:${token}`, debit: accounts.openings, credit: tokensOn(chain), currency, amount: supply };
}

/** The sequence number that the next issue leg of a token gets. */
export async function nextSequence(ledger: Ledger, chain: Chain, token: LowerAddress): Promise<bigint> {
  const row = await ledger
    .selectFrom('tokenSequences')
    .where('chain', '=', chain)
    .where('token', '=', token)
    .select('next')
    .executeTakeFirst();
  return row?.next ?? 0n;
}
