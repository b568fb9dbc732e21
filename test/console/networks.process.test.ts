import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProposal } from '../../src/chain/admin/proposal.ts';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { administrators, startAdministeredChain } from '../support/chain/administered-token.ts';
import { fundedAccount, transact } from '../support/chain/local-chain.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { testFolder } from '../support/test-folder.ts';
import { until } from '../support/until.ts';
import { createTestConsole, type TestConsole, type TestOperator } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const { owners, operator, payer } = administrators;
const token = { chain: 'gnosis', currency: 'eur' };
const raise = { ...token, kind: 'allowance', operator: operator.address, allowance: '5000000.00', dailyLimit: '1000000' };

const folder = testFolder();

const net = forWholeFile(startAdministeredChain);
let address: Hex;
let console: TestConsole;
let administrator: TestOperator;

beforeAll(async () => {
  address = await net.deploy();
  const env = {
    GNOSIS_RPC_URLS: `${net.anvil.url}?key=secret-key,http://127.0.0.1:9/another-key`,
    GNOSIS_TOKENS: `eur:${address}`,
    GNOSIS_CONFIRMATIONS: '0',
    GNOSIS_GENESIS: 'test',
    FOUR_EYES: 'yes',
  };
  console = await createTestConsole({ env });
  administrator = await console.signedIn('administrator', 'anna');
});
afterAll(() => console?.close());

/** Prepares a change, with the approval of a second administrator. Returns the id of the transaction. */
async function prepare(input: object): Promise<string> {
  const asked = await administrator.act('networks.prepare', input);
  expect(asked).toMatchObject({ status: 202, json: { state: 'waiting' } });
  const second = await console.signedIn('administrator');
  const approved = await second.decide(asked.json.approval);
  expect(approved).toMatchObject({ status: 200 });
  return approved.json.result.transaction;
}

const detail = async (id: string) => (await administrator.get(`/api/networks/safe-transactions/${id}`)).json;

async function signatureOf(id: string, account: (typeof owners)[number]) {
  const { typedData } = await detail(id);
  const { EIP712Domain: _, ...types } = typedData.types;
  return { signer: account.address, data: await account.signTypedData({ ...typedData, types }) };
}

const sign = async (id: string, account: (typeof owners)[number]) =>
  administrator.act('networks.sign', { transaction: id, signatures: [await signatureOf(id, account)] });

const stateOf = (id: string) =>
  until('the chain has decided on the transaction', async () => {
    const { state } = await detail(id);
    return state === 'open' ? undefined : (state as string);
  });

describe('the networks of the console', () => {
  it('show lanes, alarms with their remedies and nodes, and of an endpoint its host alone', async () => {
    const lanes = [{ signer: operator.address.toLowerCase(), held: true, inFlight: 0, outage: null }];
    const alarm = {
      kind: 'lane_parked',
      subject: `${operator.address} issue eur`,
      text: 'the token is paused',
      since: new Date().toISOString(),
    };
    const beat = { component: 'worker', chain: 'gnosis', instance: crypto.randomUUID() } as const;
    await recordHeartbeat(console.ledger, { ...beat, facts: { ok: true, head: '7', outage: null, lanes, alarms: [alarm] } });
    const viewer = await console.signedIn('viewer');
    expect((await viewer.get('/api/networks')).json.networks).toMatchObject([
      {
        chain: 'gnosis',
        worker: { state: 'running', head: '7' },
        indexer: { state: 'missing' },
        lanes: [{ heldBy: 'the worker', inFlight: [] }],
        problems: [
          { kind: 'worker_missing', subject: 'indexer', severity: 'stops money' },
          { kind: 'lane_parked', title: 'The token refuses what a lane sends', text: 'the token is paused', overdue: true },
        ],
      },
    ]);
    const nodes = await viewer.get('/api/networks/gnosis/nodes');
    expect(nodes.text).not.toMatch(/secret-key|another-key/);
    expect(nodes.json).toMatchObject({
      endpoints: [
        { name: expect.stringMatching(/^127\.0\.0\.1:\d+$/), error: null, behind: '0' },
        { name: '127.0.0.1:9', head: null, error: expect.any(String) },
      ],
      signers: [{ address: operator.address, limits: [{ allowance: '1000.50', daily: '1000.50', mintable: '1000.50' }] }],
    });
  });

  it('say before what a change is, and turn down what the chain would', async () => {
    const preview = await administrator.post('/api/actions/networks.prepare/preview', raise);
    expect(preview.json).toMatchObject({ needsSecondPerson: true });
    expect(preview.json.description).toContain(
      `Prepare transaction 0 of the Safe ${net.safe}, which 2 of its 3 owners sign: EURe ${address} on Gnosis`,
    );
    expect(preview.json.description).toContain('may issue 5,000,000.00 EURe more, and 1,000,000.00 EURe a day');
    expect((await administrator.act('networks.prepare', { ...token, kind: 'unpause' })).json).toMatchObject({ code: 'no_change' });
    const stranger = { ...raise, operator: payer.address };
    expect((await administrator.act('networks.prepare', stranger)).json).toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('is no operator of the token') as string,
    });
    expect((await administrator.act('networks.prepare', { ...raise, allowance: '1,000' })).json).toMatchObject({
      code: 'invalid_request',
      fields: { allowance: 'must be an amount such as 1000.00' },
    });
  });
});

describe('a transaction of the admin Safe', () => {
  let raised: string;
  let paused: string;

  it('is prepared once, by two administrators, and checked for whoever signs it', async () => {
    raised = await prepare({ ...raise, reason: 'a good month' });
    paused = await prepare({ ...token, kind: 'pause' });
    expect(await prepare({ ...token, kind: 'pause' })).toBe(paused);
    expect(await detail(raised)).toMatchObject({
      state: 'open',
      nonce: 0,
      reason: 'a good month',
      preparedBy: 'anna',
      to: address,
      threshold: 2,
      checks: ['target', 'chain id', 'hash', 'nonce', 'simulation'].map((check) => ({ check, level: 'ok' })),
      execution: null,
    });
  });

  it('is the transaction that a command proposes, and both are refused in the same words', async () => {
    const propose = (change: string, file: string) =>
      mintrail(
        ['token', change, '--chain', 'gnosis', '--currency', 'eur', '--propose', path.join(folder, file), '--yes'],
        net.machine(address),
      );
    expect(await propose('pause', 'paused')).toMatchObject({ code: 0, stderr: '' });
    const ofPage = await administrator.get(`/api/networks/safe-transactions/${paused}/proposal`);
    const ofCommand = readProposal(readFileSync(path.join(folder, 'paused'), 'utf8'));
    expect(ofCommand.transaction).toEqual(readProposal(ofPage.text).transaction);
    const { code, message } = (await administrator.act('networks.prepare', { ...token, kind: 'unpause' })).json as Record<string, string>;
    expect(await propose('unpause', 'unpaused')).toMatchObject({ code: 1, stdout: '', stderr: `Error: ${message}\n(${code})\n` });
  });

  it('takes signatures of owners over exactly its hash, and each once', async () => {
    const ofOther = await signatureOf(paused, owners[0]);
    expect((await administrator.act('networks.sign', { transaction: raised, signatures: [ofOther] })).json).toMatchObject({
      code: 'invalid_request',
    });
    expect((await sign(raised, fundedAccount(7))).json).toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('is no owner of the Safe') as string,
    });
    expect((await sign(raised, owners[0])).json).toEqual({ state: 'done', result: { added: 1 } });
    expect((await sign(raised, owners[0])).json).toEqual({ state: 'done', result: { added: 0 } });
    const second = await signatureOf(raised, owners[1]);
    // As some hardware wallets write it.
    const data = `${second.data.slice(0, -2)}${second.data.endsWith('1b') ? '00' : '01'}`;
    expect((await administrator.act('networks.sign', { transaction: raised, signatures: [{ ...second, data }] })).status).toBe(200);
    expect(await detail(raised)).toMatchObject({
      signedBy: [{ signer: owners[0].address, addedBy: 'anna' }, { signer: owners[1].address }],
    });
  });

  it('is a proposal of the command line, and a file of Safe’s application', async () => {
    const file = await administrator.get(`/api/networks/safe-transactions/${raised}/proposal`);
    expect(file.headers.get('content-disposition')).toBe('attachment; filename="proposal-0.json"');
    expect(file.headers.get('cache-control')).toBe('no-store');
    expect(readProposal(file.text)).toMatchObject({ signatures: [{ signer: owners[0].address }, { signer: owners[1].address }] });
    const batch = await administrator.get(`/api/networks/safe-transactions/${raised}/safe-batch`);
    expect(batch.json).toMatchObject({ chainId: '100', transactions: [{ to: address }] });
  });

  it('is executed by anybody, after which the other with its nonce is replaced and takes no signatures', async () => {
    const { execution } = await detail(raised);
    const receipt = await transact(net.chain, { from: payer, to: execution.to, data: execution.data });
    expect(await stateOf(raised)).toBe('executed');
    expect(await detail(raised)).toMatchObject({ executionHash: receipt.transactionHash });
    expect(await net.ask(address, 'mintAllowance', [operator.address])).toBe(5_000_000n * 10n ** 18n);
    expect(await stateOf(paused)).toBe('replaced');
    const late = await owners[0].signMessage({ message: 'late' });
    expect(
      (await administrator.act('networks.sign', { transaction: paused, signatures: [{ signer: owners[0].address, data: late }] })).status,
    ).toBe(400);
  });

  it('is withdrawn by an administrator, and can then be prepared again', async () => {
    const first = await prepare({ ...token, kind: 'pause' });
    const signature = await signatureOf(first, owners[0]);
    expect((await administrator.act('networks.withdraw', { transaction: first })).status).toBe(200);
    expect((await administrator.get('/api/networks/safe-transactions')).json.transactions).toEqual([]);
    expect((await administrator.act('networks.sign', { transaction: first, signatures: [signature] })).json).toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('takes no more signatures') as string,
    });
    expect(await prepare({ ...token, kind: 'pause' })).not.toBe(first);
  });

  it('is in the audit log with the names of who did what', async () => {
    const log = await console.ledger
      .selectFrom('auditLog')
      .where('subject', '=', raised)
      .select(['actor', 'action'])
      .orderBy('id')
      .execute();
    expect(log).toMatchObject([
      { action: 'safe-transaction.prepare' },
      { actor: 'anna', action: 'safe-transaction.sign' },
      { actor: 'anna', action: 'safe-transaction.sign' },
      // The chain did that, and not whoever looked.
      { actor: 'mintrail', action: 'safe-transaction.state' },
    ]);
  });
});
