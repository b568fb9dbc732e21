import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listHeartbeats } from '../../src/ledger/lanes/heartbeats.ts';
import type { Running } from '../../src/platform/loop.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { runWorker } from '../../src/workers/run-worker.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { createCustomer } from '../support/customer.ts';
import { startTestNetwork } from '../support/chain/network.ts';
import { until } from '../support/until.ts';
import { testLedger } from '../support/test-ledger.ts';
import { testFolder } from '../support/test-folder.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const folder = testFolder();
const missingKey = path.join(folder, 'key');

const database = testLedger();
const { ledger } = database;
const network = forWholeFile(() => startTestNetwork({ databaseUrl: database.url }));
let worker: Running;
let metricsPort: number;
let hangingNode: Server;
const connections = new Set<Socket>();

beforeAll(async () => {
  metricsPort = await freePort();
  // It takes every connection, and answers nothing.
  hangingNode = createServer((socket) => void connections.add(socket.on('error', () => {})));
  await new Promise<void>((resolve) => hangingNode.listen(0, '127.0.0.1', resolve));
  const settings = loadSettings({
    ...network.env,
    METRICS_PORT: String(metricsPort),
    SEPOLIA_TOKENS: network.env['CHIADO_TOKENS'],
    SEPOLIA_SIGNERS: network.env['CHIADO_SIGNERS'],
    SEPOLIA_RPC_URLS: `http://127.0.0.1:${(hangingNode.address() as AddressInfo).port}`,
    GNOSIS_TOKENS: network.env['CHIADO_TOKENS'],
    GNOSIS_SIGNERS: `file:${missingKey}`,
    GNOSIS_RPC_URLS: network.anvil.url,
  });
  worker = await runWorker(settings, { chains: ['chiado', 'sepolia', 'gnosis'], common: false });
});

afterAll(async () => {
  for (const socket of connections) socket.destroy();
  await new Promise((resolve) => hangingNode.close(resolve));
  await worker?.close();
});

const heartbeats = async () => new Map((await listHeartbeats(ledger)).map(({ chain, facts }) => [chain, facts]));

it('issues on one network while the node of another hangs and the signer of a third is missing', async () => {
  const { iban } = await createCustomer(ledger, 'chiado');
  await issueCredits(ledger, [creditTo(iban, 100n)]);
  await until('the transaction is mined', async () => {
    const states = await ledger.selectFrom('transactions').select('state').where('chain', '=', 'chiado').execute();
    return states.some(({ state }) => state === 'mined') || undefined;
  });
  await until('its worker is well', async () => (await heartbeats()).get('chiado')?.['ok'] || undefined);
  expect((await heartbeats()).get('sepolia')).toMatchObject({ ok: false, head: null });
  expect((await heartbeats()).has('gnosis')).toBe(false);
});

it('shows the metrics of its networks, each metric once', async () => {
  const lines = (await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).split('\n');
  expect(lines.filter((line) => line === '# TYPE mintrail_lanes_held gauge')).toHaveLength(1);
  expect(lines).toEqual(
    expect.arrayContaining([
      'mintrail_lanes_held{chain="chiado"} 1',
      'mintrail_lanes_held{chain="sepolia"} 0',
      'mintrail_chain_head_block{chain="sepolia"} 0',
      'mintrail_reverts_total{chain="chiado"} 0',
      'mintrail_reverts_total{chain="sepolia"} 0',
    ]),
  );
});

it('starts a network that could not be started as soon as it can', async () => {
  writeFileSync(missingKey, `${network.env['CHIADO_SIGNERS']}\n`, { mode: 0o600 });
  await until('the third network is served', async () => (await heartbeats()).has('gnosis') || undefined);
});

it('does not start at all where the only network cannot be started', async () => {
  const settings = loadSettings({ ...network.env, CHIADO_SIGNERS: `file:${missingKey}.none` });
  await expect(runWorker(settings, { chains: ['chiado'], common: false })).rejects.toMatchObject({ code: expect.any(String) as string });
  await expect(runWorker(settings, { chains: ['chiado', 'sepolia'], common: false })).rejects.toMatchObject({
    code: 'invalid_settings',
    message: expect.stringMatching(/^The network \w+ is not configured/) as string,
  });
});
