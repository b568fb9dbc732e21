import { sql } from 'kysely';
import type { LowerAddress } from '../../platform/addresses.ts';
import type { Chain } from '../../platform/chains.ts';
import { RetryError } from '../../platform/errors.ts';
import type { TokenUnits } from '../../platform/money.ts';
import { makerLock, takeLock } from '../advisory-locks.ts';
import { inTransaction, type Ledger } from '../ledger.ts';

/** A quote to which a maker commits itself. */
export interface SwapCommitment {
  chain: Chain;
  settlement: LowerAddress;
  maker: LowerAddress;
  /** The taker's profile. */
  profile: string;
  taker: LowerAddress;
  takerToken: LowerAddress;
  makerToken: LowerAddress;
  takerAmount: TokenUnits;
  makerAmount: TokenUnits;
  expiry: Date;
  correlationId: string;
}

/**
 * How long after its expiry a quote counts as open. A swap in its last second appears in the maker's balance only when it is mined and indexed.
 */
const graceSeconds = 15;

/**
 * Records a quote under a nonce of its own. The open quotes of one maker in one token never exceed `held`, what the maker holds of it: they
 * are recorded one after the other, over all copies of the API. A quote that was already carried out counts until it expires, so the reserved
 * amount may be too high, never too low. Throws `maker_balance_too_low`.
 */
export async function recordSwapQuote(ledger: Ledger, quote: SwapCommitment, held: TokenUnits): Promise<{ id: string; nonce: bigint }> {
  const { chain, settlement, maker, profile, taker, expiry } = quote;
  return inTransaction(ledger, async (tx) => {
    await takeLock(tx, makerLock(quote));
    const { open } = await tx
      .selectFrom('swapQuotes')
      .where('maker', '=', maker)
      .where('chain', '=', chain)
      .where('makerToken', '=', quote.makerToken)
      .where('expiry', '>', sql<Date>`now() - make_interval(secs => ${graceSeconds})`)
      .select(sql<string>`coalesce(sum(maker_amount), 0)`.as('open'))
      .executeTakeFirstOrThrow();
    if (BigInt(open) + quote.makerAmount > held) throw makerShort();
    return tx
      .insertInto('swapQuotes')
      .values({
        chain,
        settlement,
        maker,
        profile,
        taker,
        expiry,
        takerToken: quote.takerToken,
        makerToken: quote.makerToken,
        takerAmount: quote.takerAmount,
        makerAmount: quote.makerAmount,
        correlationId: quote.correlationId,
      })
      .returning(['id', 'nonce'])
      .executeTakeFirstOrThrow();
  });
}

function makerShort(): RetryError {
  return new RetryError({
    code: 'maker_balance_too_low',
    message: 'With the quotes that are open, the maker holds too little of the token for this one: give it more, or wait until some expire',
  });
}
