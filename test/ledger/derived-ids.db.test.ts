import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  nextCreditOrderId,
  nextReturnPaymentId,
  payoutPaymentId,
  payoutPaymentIdOf,
  returnPaymentId,
} from '../../src/ledger/derived-ids.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { idOfCreditOrder, idOfDependentOrder } from '../support/derived-order-ids.ts';
import { testLedger } from '../support/test-ledger.ts';

const { ledger } = testLedger();

/** References as banks give them, with what could be read differently on the two sides. */
const references = ['DE68210501700012345678:2026112200001#2', "a ' b", 'Jón 🏦', '', '#'.repeat(140)];
const redemption = { chain: 'gnosis', address: lowerAddress(`0x${'ab'.repeat(20)}`), digest: `0x${'cd'.repeat(32)}` } as const;

it('of a payment is the UUIDv8 of a SHA-256 (RFC 9562, section 5.8)', () => {
  // The first 16 bytes of `printf 'return 0 a' | sha256sum`, but for six bits.
  const hash = createHash('sha256').update('return 0 a').digest('hex');
  expect(returnPaymentId('a', 0)).toMatch(new RegExp(`^${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-[89ab]`));
});

it.each(references)('of a payment is the same in SQL and in TypeScript: %j', async (reference) => {
  const { rows } = await sql`
    select ${nextReturnPaymentId(sql`${reference}::text`)} as return, ${payoutPaymentIdOf('o')} as payout
    from (select ${redemption.chain}::text as chain, ${redemption.address}::text as address, ${redemption.digest}::text as digest) o
  `.execute(ledger);
  expect(rows).toEqual([{ return: returnPaymentId(reference, 0), payout: payoutPaymentId(redemption) }]);
});

it('of an order has the form of a random UUID, and is the same only in a ledger with the same secret', async () => {
  const ids = async (other = ledger) => [await idOfCreditOrder(other, 'a'), await idOfDependentOrder(other, redemption)];
  const first = await ids();
  for (const id of first) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(await ids()).toEqual(first);
  const { rows } = await sql`select ${nextCreditOrderId(sql`'a'`)} as id`.execute(ledger);
  expect(rows).toEqual([{ id: first[0] }]);
  await inTransaction(ledger, async (tx) => {
    await sql`update order_id_secret set secret = sha256(secret)`.execute(tx);
    const others = await ids(tx);
    expect(others).toHaveLength(2);
    for (const id of others) expect(first).not.toContain(id);
  });
});
