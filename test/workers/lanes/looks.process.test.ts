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
const sweepIntervalMs = 3_000;
const { ledger, pool, url } = testLedger();
const network = forWholeFile(() => startTestNetwork({ databaseUrl: url, mines: false }));
let customer: TestCustomer;
let head: RunningHead;
let lanes: Lanes;
let wake: () => void;
/** What the lanes have sent to the database. */
const statements = keepSent(pool);

beforeAll(async () => {
  customer = await createCustomer(ledger, 'chiado');
  const settings = networkSettings(network.settings, 'chiado');
  const rpc = createRpc(settings);
  head = followHead(rpc, 50, log);
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
  await rest();
});
afterAll(async () => {
  await lanes?.close();
  await head?.close();
});

const looks = () => statements.filter((text) => /open_legs/.test(text) && /r\.is_retry/.test(text)).length;
const claims = () => statements.filter((text) => /with picked/.test(text)).length;

/** Until both lanes have just looked in vain, so that the next look without a wake-up is nearly a sweep away. */
async function rest(): Promise<void> {
  const before = looks();
  await until('both lanes look', async () => looks() >= before + 2 || undefined);
  statements.length = 0;
}

const transactions = () => ledger.selectFrom('transactions').select('id').execute();
const sent = (count: number) => until(`${count} transactions are sent`, async () => (await transactions()).length === count || undefined);

describe('the lanes of a network', () => {
  it('look once for a wake-up, and one of them claims and sends', async () => {
    await issueCredits(ledger, [creditTo(customer.iban, 100n)]);
    wake();
    await sent(1);
    expect({ looks: looks(), claims: claims() }).toEqual({ looks: 1, claims: 1 });
  });

  it('look for nothing with a block, once what they sent is mined', async () => {
    await rest();
    for (let block = 0; block < 8; block += 1) {
      const number = head.number() ?? 0n;
      await network.rpc.mine({ blocks: 1 });
      await until('the block is seen', async () => (head.number() ?? 0n) > number || undefined);
    }
    expect(looks()).toBeLessThanOrEqual(2);
  });

  it('find within the sweep what no wake-up came for', async () => {
    await rest();
    await issueCredits(ledger, [creditTo(customer.iban, 200n)]);
    const committedAt = Date.now();
    await sent(2);
    expect(Date.now() - committedAt).toBeLessThan(sweepIntervalMs + 2_000);
  });
});
