import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { groupName } from '../../../src/ledger/lanes/leg-groups.ts';
import { bankImportLock, takeLock } from '../../../src/ledger/advisory-locks.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { createClaims } from '../../../src/workers/lanes/claims.ts';
import { createCustomer } from '../../support/customer.ts';
import { placeTestRedemption } from '../../support/redemptions.ts';
import { testLedger } from '../../support/test-ledger.ts';

const database = testLedger();
const { ledger } = database;

it('rests after a long look in vain while a bank file is imported, four times as long, and after no other look', async () => {
  const { profile } = await createCustomer(ledger, 'chiado');
  const address = lowerAddress(`0x${randomBytes(20).toString('hex')}`);
  let times: number[] = [];
  const claims = createClaims(
    {
      ledger,
      signer: { address },
      network: { chain: 'chiado', tokens: { eur: lowerAddress(`0x${'e'.repeat(40)}`) }, maxBatch: 10 },
      now: () => (times.length > 1 ? times.shift() : times[0]) as number,
    },
    { read: async () => 0n, forget: () => {} },
  );
  /** Looks from one time to another. */
  const look = async (from: number, to = from) => {
    times = [from, from, to];
    return (await claims.readyGroups()).map(groupName);
  };
  const leg = () => placeTestRedemption(ledger, 'chiado', { address, profile, sign: async () => `0x${randomBytes(65).toString('hex')}` });
  expect(await look(0, 300)).toEqual([]);
  await inTransaction(ledger, async (tx) => {
    await takeLock(tx, bankImportLock);
    expect(await look(301, 321)).toEqual([]);
    expect(claims.restMs()).toBe(undefined);
    expect(await look(400, 700)).toEqual([]);
    expect(claims.restMs()).toBe(1_200);
    await leg();
    expect(await look(1_899)).toEqual([]);
    expect(await look(1_900, 2_200)).toEqual(['redeem eur key']);
    expect(await look(2_201)).toEqual(['redeem eur key']);
  });
});
