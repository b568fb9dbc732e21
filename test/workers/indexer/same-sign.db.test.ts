import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { recordHeartbeat } from '../../../src/ledger/lanes/heartbeats.ts';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { createSameSign, sameSignMs } from '../../../src/workers/indexer/same-sign.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
const chain = 'chiado';

/** Runs in one transaction, in which the database's clock stands still but for what `after` says. */
async function atRest(run: (tx: Ledger) => Promise<void>): Promise<void> {
  await inTransaction(ledger, async (tx) => {
    await sql`delete from heartbeats`.execute(tx);
    await run(tx);
  });
}

/** An indexer reports the sign; `longer` is for how long it has been the same besides what was reported before. Returns that. */
async function report(tx: Ledger, instance: string, sign: string, longer = 0): Promise<number> {
  const before = await sameSignMs(tx, chain, sign);
  const facts = { ok: true, sameSign: { sign, milliseconds: before + longer } };
  await recordHeartbeat(tx, { component: 'indexer', chain, instance, facts });
  return before;
}

const after = (tx: Ledger, seconds: number) => sql`update heartbeats set seen_at = seen_at - make_interval(secs => ${seconds})`.execute(tx);

it('a sign of life that stays the same is counted on by the double of an indexer that is away', () =>
  atRest(async (tx) => {
    await report(tx, 'a', '1000');
    for (const instance of ['a', 'b', 'b', 'a']) {
      await after(tx, 8);
      await report(tx, instance, '1000');
    }
    expect(await report(tx, 'b', '1000')).toBe(32_000);
  }));

it('it ends with the next sign, and each network has its own', () =>
  atRest(async (tx) => {
    await report(tx, 'a', '1000', 30_000);
    expect(await report(tx, 'b', '2000')).toBe(0);
    expect(await sameSignMs(tx, 'gnosis', '1000')).toBe(0);
    expect(await sameSignMs(tx, chain, undefined)).toBe(0);
  }));

it('nobody knows for how long it was the same when all were away, as in an outage of the database', () =>
  atRest(async (tx) => {
    await report(tx, 'a', '1000', 30_000);
    await after(tx, 11);
    expect(await report(tx, 'a', '1000')).toBe(0);
  }));

it('a process that looks all the time counts on by itself, and reads the reports for a new sign and after a pause', () =>
  atRest(async (tx) => {
    let at = 0;
    const sameSign = createSameSign(tx, chain, () => at);
    await report(tx, 'b', '1000', 4_000);
    expect(await sameSign('1000')).toBe(4_000);
    await report(tx, 'b', '1000', 50_000);
    at += 2_000;
    expect(await sameSign('1000')).toBe(6_000);
    await report(tx, 'b', '2000', 1_000);
    expect(await sameSign('2000')).toBe(1_000);
    await report(tx, 'b', '2000', 6_000);
    at += 10_001;
    expect(await sameSign('2000')).toBe(7_000);
  }));
