import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { TestCustomer } from './customer.ts';

/** Gives redemptions of a customer ids that the service derives, as whoever knew its secret could. */
export async function takeOrderIds(ledger: Ledger, customer: TestCustomer, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await sql`
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo, message, digest, signature, request_hash)
      values (${id}, 'redeem', ${customer.profile}, ${customer.address}, 'chiado', 'eur', 100,
        '{"identifier": {"standard": "iban", "iban": "IS140159260076545510730339"}, "details": {}}', 'memo', 'a message',
        ${randomBytes(32).toString('hex')}, '0x', '')
    `.execute(ledger);
}
