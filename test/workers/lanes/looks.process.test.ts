import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followHead, type RunningHead } from '../../../src/chain/head.ts';
import { createRpc } from '../../../src/chain/endpoints/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import { createLog } from '../../../src/platform/log.ts';
import { networkSettings } from '../../../src/platform/settings.ts';
import { createAlarms } from '../../../src/workers/alarms.ts';
import { type Lanes, startLanes } from '../../../src/workers/lanes/lanes.ts';
import { fundedAccount } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork } from '../../support/chain/network.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { keepSent } from '../../support/sent-statements.ts';
import { until } from '../../support/until.ts';
import { testLedger } from '../../support/test-ledger.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const log = createLog(process.env['TEST_LOG_LEVEL'] ?? 'silent');
/** So long that no look without a wake-up or a block falls into a test, on a slow machine neither. */
const rareSweepMs = 600_000;
const { ledger, pool, url } = testLedger();
const network = forWholeFile(() => startTestNetwork({ databaseUrl: url, mines: false }));
let customer: TestCustomer;
let head: RunningHead;
let lanes: Lanes;
let wake: () => void;
/** What the lanes have sent to the database. */
const statements = keepSent(pool);

/** Starts both lanes, and waits until each holds its signer and has looked in vain. */
async function start(sweepIntervalMs: number): Promise<void> {
  statements.length = 0;
  const settings = networkSettings(network.settings, 'chiado');
  const rpc = createRpc(settings);
  const waker = {
    listen: (_: string, listener: () => void) => {
      wake = listener;
      return { async close() {} };
    },
  };
  const signers = [operator, fundedAccount(2)].map(({ privateKey }) => ({ reference: 'key', signer: createKeySigner(privateKey) }));
  const deps = { ledger, directPool: pool, rpc, network: settings, head, log, alarms: createAlarms(log), waker, sweepIntervalMs };
  lanes = startLanes(deps, signers, { environment: 'sandbox' });
  await until('both lanes are held', async () => lanes.facts().every(({ held }) => held) || undefined);
  await until('both lanes have looked', async () => looks() >= 2 || undefined);
  statements.length = 0;
}

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
  head = followHead(createRpc(networkSettings(network.settings, 'chiado')), 50, log);
  await start(rareSweepMs);
});
afterAll(async () => {
  await lanes?.close();
  await head?.close();
});

const looks = () => statements.filter((text) => /open_legs/.test(text) && /r\.is_retry/.test(text)).length;
const claims = () => statements.filter((text) => /with picked/.test(text)).length;

const transactions = () => ledger.selectFrom('transactions').select(['id', 'state']).execute();
const sent = (count: number) => until(`${count} transactions are sent`, async () => (await transactions()).length === count || undefined);

describe('the lanes of a network', () => {
  it('look once for a wake-up, and one of them claims and sends', async () => {
    await issueCredits(ledger, [creditTo(customer.iban, 100n)]);
    wake();
    await sent(1);
    expect({ looks: looks(), claims: claims() }).toEqual({ looks: 1, claims: 1 });
  });

  it('look for nothing with a block, once what they sent is mined', async () => {
    await mineSeen(1);
    await until('it is mined', async () => (await transactions()).every(({ state }) => state === 'mined') || undefined);
    statements.length = 0;
    await mineSeen(8);
    // What was in flight at the last look is looked at once more.
    expect(looks()).toBeLessThanOrEqual(2);
  });

  it('find by themselves what no wake-up came for', async () => {
    await lanes.close();
    await start(1_000);
    await issueCredits(ledger, [creditTo(customer.iban, 200n)]);
    await sent(2);
  });
});

/** Mines blocks one by one, each when the lanes may have seen the one before. */
async function mineSeen(blocks: number): Promise<void> {
  for (let block = 0; block < blocks; block += 1) {
    const number = head.number() ?? 0n;
    await network.rpc.mine({ blocks: 1 });
    await until('the block is seen', async () => (head.number() ?? 0n) > number || undefined);
  }
}
