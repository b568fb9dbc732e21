import type { Pool } from 'pg';
import { keccak256, toHex } from 'viem';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { laneLock } from '../../../src/ledger/advisory-locks.ts';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { followHead, type RunningHead } from '../../../src/chain/head.ts';
import { createRpc } from '../../../src/chain/endpoints/rpc.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { claimReady } from '../../support/claim-ready.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { tryAdvisoryLock } from '../../../src/platform/postgres/advisory-lock.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { type Alarms, createAlarms } from '../../../src/workers/alarms.ts';
import { type Lanes, startLanes } from '../../../src/workers/lanes/lanes.ts';
import { openSigners } from '../../../src/workers/lanes/open-signers.ts';
import { creditTo, issueCredits } from '../../support/credits.ts';
import { createCustomer, type TestCustomer } from '../../support/customer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type FakeKms, kmsVariables, type KmsFault, startFakeKms } from '../../support/signers/fake-kms.ts';
import { type FakeWeb3signer, startFakeWeb3signer } from '../../support/signers/fake-web3signer.ts';
import { execute, fundedAccount } from '../../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../../support/chain/network.ts';
import { noWakeUps } from '../../support/no-wake-ups.ts';
import { until } from '../../support/until.ts';

const second = fundedAccount(2);
const log = createLog(process.env['TEST_LOG_LEVEL'] ?? 'silent');
let database: TestDatabase;
let network: TestNetwork;
let pool: Pool;
let ledger: Ledger;
let customer: TestCustomer;
let kms: FakeKms;
let web3signer: FakeWeb3signer;
let alarms: Alarms;
let running: { lanes: Lanes; head: RunningHead }[];

beforeEach(async () => {
  [database, kms, web3signer] = await Promise.all([
    createTestDatabase(),
    startFakeKms(operator.privateKey),
    startFakeWeb3signer([second.privateKey]),
  ]);
  network = await startTestNetwork({ databaseUrl: database.url, mines: false });
  pool = createPool({ connectionString: database.url });
  ledger = createLedger(pool, wakesNobody);
  customer = await createCustomer(ledger, 'chiado');
  alarms = createAlarms(log);
  running = [];
  for (const [name, value] of Object.entries(kmsVariables(kms))) vi.stubEnv(name, value);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const { lanes, head } of running) await Promise.all([lanes.close(), head.close()]);
  await Promise.all([kms.stop(), web3signer.stop()]);
  await ledger.destroy();
  await network.close();
  await database.drop();
});

const inKms = () => `awskms:${kms.keyId}`;
const inWeb3signer = () => `web3signer:${web3signer.url}/${second.address}`;

async function start(...references: string[]): Promise<Lanes> {
  const settings = network.settings.networks.chiado as NonNullable<typeof network.settings.networks.chiado>;
  const options = { environment: 'production' } as const;
  const rpc = createRpc(settings);
  const head = followHead(rpc, 50, log);
  const lanes = startLanes(
    { ledger, directPool: pool, rpc, network: settings, head, log, alarms, waker: noWakeUps },
    await openSigners(references, options),
    options,
  );
  running.push({ lanes, head });
  return lanes;
}

let credited = 0n;
async function credit(amount: bigint) {
  await issueCredits(ledger, [creditTo(customer.iban, amount)]);
  credited += amount;
}

const transactions = () => ledger.selectFrom('transactions').selectAll().orderBy('nonce').execute();
const legs = () => ledger.selectFrom('legs').selectAll().orderBy('id').execute();
const token = () => network.tokens.eur as `0x${string}`;
const balance = () =>
  network.rpc.readContract({ address: token(), abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [customer.address] });
const sent = (count: number) =>
  until(`${count} transactions are sent`, async () => ((await transactions()).length === count ? transactions() : undefined));
const showsOutage = (lanes: Lanes, text: string) => lanes.facts().some((lane) => lane.outage?.includes(text));
const outage = (lanes: Lanes, text: string) => until(`the outage is seen: ${text}`, async () => showsOutage(lanes, text) || undefined);
const well = (lanes: Lanes) => until('all sign', async () => lanes.facts().every((lane) => lane.outage === null) || undefined);

async function mineUntil(what: string, done: () => Promise<boolean>) {
  await until(what, async () => {
    await network.rpc.mine({ blocks: 1 });
    return (await done()) || undefined;
  });
}

const allMined = () => mineUntil('all is mined', async () => (await transactions()).every(({ state }) => state === 'mined'));

describe('a lane whose key is in AWS KMS', () => {
  it('issues, and goes on after every kind of failure without losing or doubling anything', async () => {
    credited = 0n;
    const lanes = await start(inKms());
    await credit(100n);
    await sent(1);
    const faults: [KmsFault, string][] = [
      ['throttles', 'ThrottlingException'],
      ['denies', 'AccessDeniedException'],
      ['signs with another key', 'not of that address'],
      ['hangs', 'no answer within'],
    ];
    for (const [index, [fault, text]] of faults.entries()) {
      kms.fault = fault;
      await credit(BigInt(200 + index));
      await outage(lanes, text);
      await until('the leg is given back', async () => (await legs()).at(-1)?.claimedBy === null || undefined);
      expect((await legs()).at(-1)).toMatchObject({ state: 'ready', sequence: BigInt(index + 1) });
      expect(await transactions()).toHaveLength(index + 1);
      expect(alarms.list()).toEqual([]);
      kms.fault = undefined;
      await sent(index + 2);
      await well(lanes);
    }
    await allMined();
    expect(await balance()).toBe(toTokenUnits(minorUnits(credited)));
    expect((await transactions()).map(({ nonce }) => nonce)).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect((await legs()).map(({ sequence }) => sequence)).toEqual([0n, 1n, 2n, 3n, 4n]);
  });

  it('keeps its transactions in the pool while KMS cannot sign their replacement, and replaces them later', async () => {
    const lanes = await start(inKms());
    await credit(100n);
    await sent(1);
    const [attempt] = await ledger.selectFrom('transactionAttempts').selectAll().execute();
    const hash = attempt?.hash as `0x${string}`;
    kms.fault = 'throttles';
    await until('the outage is seen', async () => {
      await network.rpc.setNextBlockBaseFeePerGas({ baseFeePerGas: BigInt(attempt?.maxFeePerGas ?? 0) * 2n });
      await network.rpc.mine({ blocks: 1 });
      return showsOutage(lanes, 'ThrottlingException') || undefined;
    });
    await network.rpc.dropTransaction({ hash });
    await mineUntil('it is in the pool again', async () =>
      network.rpc.getTransaction({ hash }).then(
        () => true,
        () => false,
      ),
    );
    kms.fault = undefined;
    await mineUntil('it is mined', async () => (await transactions())[0]?.state === 'mined');
    expect(await transactions()).toHaveLength(1);
    expect(await balance()).toBe(toTokenUnits(minorUnits(100n)));
  });
});

async function letSecondIssue() {
  await execute(network.rpc, token(), eMoneyTokenAbi, 'grantRole', [keccak256(toHex('OPERATOR_ROLE')), second.address]);
  const limit = toTokenUnits(minorUnits(100_000n));
  await execute(network.rpc, token(), eMoneyTokenAbi, 'setMintAllowance', [second.address, 0n, limit, limit]);
}

describe('the lanes of a network', () => {
  it('leave everything to the others while one signer is out', async () => {
    await letSecondIssue();
    kms.fault = 'throttles';
    const lanes = await start(inKms(), inWeb3signer());
    expect(lanes.facts()).toMatchObject([
      { signer: second.address.toLowerCase() },
      { signer: inKms(), held: false, outage: expect.any(String) as string },
    ]);
    for (const amount of [100n, 200n, 300n]) await credit(amount);
    await until('all legs are sent', async () => (await legs()).every(({ state }) => state === 'sent') || undefined);
    expect(new Set((await transactions()).map(({ signer }) => signer))).toEqual(new Set([second.address.toLowerCase()]));
    kms.fault = undefined;
    await until(
      'the first has its lane',
      async () => lanes.facts().some(({ signer, held }) => signer === operator.address.toLowerCase() && held) || undefined,
    );
    web3signer.fault = 'drops the connection';
    await credit(400n);
    await until(
      'the first issues',
      async () => (await transactions()).some(({ signer }) => signer === operator.address.toLowerCase()) || undefined,
    );
    web3signer.fault = undefined;
    await well(lanes);
    await allMined();
    expect(await balance()).toBe(toTokenUnits(minorUnits(1_000n)));
  });

  it('take what the lane of a signer that is gone had claimed, and leave a running lane its own', async () => {
    const [gone, busy] = [lowerAddress(`0x${'d'.repeat(40)}`), lowerAddress(`0x${'b'.repeat(40)}`)];
    const claim = { chain: 'chiado' as const, limit: 1, tokens: { eur: token() } };
    for (const signer of [gone, busy]) {
      await credit(100n);
      await claimReady(ledger, { ...claim, signer });
    }
    const lock = await tryAdvisoryLock(pool, laneLock('chiado', busy));
    await start(inKms());
    await sent(1);
    expect((await legs()).map(({ state, claimedBy }) => ({ state, claimedBy }))).toEqual([
      { state: 'sent', claimedBy: null },
      { state: 'ready', claimedBy: busy },
    ]);
    await lock?.release();
  });

  it('are refused when two of them would sign with one key', async () => {
    await expect(start(inKms(), 'awskms:alias/mintrail')).rejects.toMatchObject({
      code: 'invalid_settings',
      message: expect.stringContaining('name each once') as string,
    });
  });

  it('are refused when one is configured wrongly, even if another is only out of reach', async () => {
    web3signer.fault = 'fails';
    await expect(start(inWeb3signer(), 'awskms:alias/none')).rejects.toMatchObject({ code: 'signer_refused' });
  });
});
