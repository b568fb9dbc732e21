import { sql } from 'kysely';
import { expect, it } from 'vitest';
import {
  creditOrderId,
  dependentOrderId,
  dependentOrderIdOf,
  derivedId,
  nextCreditOrderId,
  nextReturnPaymentId,
  payoutPaymentId,
  payoutPaymentIdOf,
  returnPaymentId,
} from '../../src/ledger/derived-ids.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { testLedger } from '../support/test-ledger.ts';

const { ledger } = testLedger();

/** References as banks give them, with what could be read differently on the two sides. */
const references = ['DE68210501700012345678:2026112200001#2', "a ' b", 'Jón 🏦', '', '#'.repeat(140)];

it('is the UUIDv8 of a SHA-256 (RFC 9562, section 5.8)', () => {
  expect(derivedId('credit 0 a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // The first 16 bytes of `printf 'credit 0 a' | sha256sum`, but for six bits.
  expect(derivedId('credit 0 a')).toBe('18a000d8-db69-84df-b91a-47a14fbcf155');
});

it.each(references)('is the same in SQL and in TypeScript: %j', async (reference) => {
  const redemption = { chain: 'gnosis', address: lowerAddress(`0x${'ab'.repeat(20)}`), digest: `0x${'cd'.repeat(32)}` } as const;
  const { rows } = await sql`
    select derived_id(${reference}) as plain, ${nextCreditOrderId(sql`${reference}::text`)} as "order",
      ${nextReturnPaymentId(sql`${reference}::text`)} as return, ${payoutPaymentIdOf('o')} as payout, ${dependentOrderIdOf('o')} as dependent
    from (select ${redemption.chain}::text as chain, ${redemption.address}::text as address, ${redemption.digest}::text as digest) o
  `.execute(ledger);
  expect(rows).toEqual([
    {
      plain: derivedId(reference),
      order: creditOrderId(reference, 0),
      return: returnPaymentId(reference, 0),
      payout: payoutPaymentId(redemption),
      dependent: dependentOrderId(redemption),
    },
  ]);
});
