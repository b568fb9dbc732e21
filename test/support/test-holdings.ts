import { sql } from 'kysely';
import type { ReadHoldings } from '../../src/ledger/orders/placement/redemption-request.ts';
import type { ReadBalances } from '../../src/indexed/balances.ts';
import { type MinorUnits, minorUnits, tokenUnits } from '../../src/platform/money.ts';

/** Reads holdings as the index would show them: by balances of the test, and without the orders that it calls burnt. */
export function createTestHoldings(readBalances: ReadBalances, burnt: ReadonlySet<string>): ReadHoldings {
  return async (send, { chain, holders, reserved }) => {
    const notCounted = reserved === 'all' ? [] : [...burnt];
    return Promise.all(
      holders.map(async ({ address, currency }) => {
        const { [currency]: units = tokenUnits(0n) } = await readBalances(chain, address, [currency]);
        const [sum] = await send(sql<{ reserved: MinorUnits }>`
          select coalesce(sum(amount), 0)::bigint as reserved from (
            select amount from legs
            where chain = ${chain} and account = ${address} and currency = ${currency} and kind = 'redeem' and state in ('waiting', 'ready', 'sent')
              and order_id <> all(${notCounted}::uuid[])
            union all
            select (draft ->> 'amount')::bigint from signature_requests
            where chain = ${chain} and address = ${address} and draft ->> 'currency' = ${currency} and kind = 'order' and state = 'pending'
              and order_id is null
          ) as open`);
        return { address, currency, units, reserved: sum?.reserved ?? minorUnits(0n) };
      }),
    );
  };
}
