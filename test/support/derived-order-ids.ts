import { type RawBuilder, sql } from 'kysely';
import { creditOrderId, dependentOrderIdOf, type RedemptionIdentity } from '../../src/ledger/derived-ids.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';

/** The id that a ledger gives the issue order of a credit; `generation` counts the orders of it that were refused before. */
export function idOfCreditOrder(ledger: Ledger, reference: string, generation = 0): Promise<string> {
  return selectId(ledger, sql`select ${creditOrderId(sql`${reference}::text`, sql`${generation}::integer`)} as id`);
}

/** The id that a ledger gives the order that carries a redemption out on another chain. */
export function idOfDependentOrder(ledger: Ledger, { chain, address, digest }: RedemptionIdentity): Promise<string> {
  return selectId(
    ledger,
    sql`select ${dependentOrderIdOf('o')} as id from (select ${chain}::text as chain, ${address}::text as address, ${digest}::text as digest) o`,
  );
}

async function selectId(ledger: Ledger, statement: RawBuilder<unknown>): Promise<string> {
  const { rows } = await statement.execute(ledger);
  return (rows as { id: string }[])[0]?.id ?? '';
}
