import { randomInt, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client as PostgresClient } from 'pg';
import { privateKeyToAccount } from 'viem/accounts';
import { type Client, createClient, linkMessage, paymentMessage } from '../../client/index.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { directUrl } from '../../src/platform/postgres/connections.ts';
import { queueMail } from '../../src/ledger/accounts/mail-outbox.ts';
import { openSealer } from '../../src/platform/sealing.ts';
import { readProblems, readStatus } from '../../src/problems/read-status.ts';
import { insist } from '../scenarios/insist.ts';
import { openIban } from '../scenarios/customers.ts';
import { createSandboxRun, type SandboxRun } from '../scenarios/sandbox-run.ts';
import { readMints } from '../scenarios/token-logs.ts';
import { pdf } from '../support/documents.ts';
import { processTree, signalAll } from '../support/processes/process-tree.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhooks/receiver.ts';
import { type Dependencies, startDependencies } from './dependencies.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { isInstalled } from './installed.ts';

const redisServer = /^redis-server/;

/** Signs the deliveries to the receivers. */
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/** A sandbox with one network, and a judge beside it. */
export interface FaultWorld {
  run: SandboxRun;
  dependencies: Dependencies;
  /** What it is set up with as a deployment; undefined where it is not. */
  deployment: Deployment | undefined;
  /** Two that are told of all orders. */
  receivers: { failing: WebhookReceiver; healthy: WebhookReceiver };
  /** Sends a signal to the processes of the sandbox whose command line matches; there must be some. */
  signal(command: RegExp, name: NodeJS.Signals): void;
  /** Sends a signal to the first of them alone, which has started the others. */
  signalFirst(command: RegExp, name: NodeJS.Signals): void;
  setReadOnly(isReadOnly: boolean): Promise<void>;
  /** Reports a payment until it is heard: the same reference is the same money. Returns the id of its order. */
  pay(reference: string): Promise<string>;
  /** Redeems a euro to a bank, until it is heard. */
  redeem(): Promise<void>;
  /** Whether the files for the bank have one payment for each redemption. Throws when one is paid twice. */
  isPaidOut(): boolean;
  /** Queues a mail. Returns what its text contains. */
  mail(): Promise<string>;
  /** Uploads a file until it is taken. Returns its id. */
  upload(name: string): Promise<string>;
  /** The time of day that the API has read last, in milliseconds. */
  loggedTime(): number;
  /** How many receivers `mintrail status` lists that fail. */
  failingReceivers(): Promise<number>;
  /** Whether every payment that was reported is processed. */
  isProcessed(): Promise<boolean>;
  /** The first problem of `mintrail status` that is overdue; undefined when all is well, or nobody can tell. */
  problem(): Promise<string | undefined>;
  /** The kinds of all problems and warnings of `mintrail status`, overdue or not; empty when nobody can tell. */
  problems(): Promise<string[]>;
  /** Why the API is not ready. */
  unready(): Promise<string | undefined>;
  /** The references of issues that the chain has more or fewer of than one for each payment. */
  miscounted(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Starts it, as a sandbox or set up as a deployment. */
export async function startFaultWorld(isDeployed: boolean): Promise<FaultWorld> {
  const dependencies = await startDependencies();
  const variables = { ...dependencies.variables };
  const run = await createSandboxRun(['--chain', 'chiado', ...(isInstalled('pgbouncer') ? ['--pgbouncer'] : [])], variables);
  const deployment = isDeployed ? await startDeployment(run.dataDir) : undefined;
  Object.assign(variables, deployment?.variables);
  const [file] = await Promise.all([run.start(), deployment?.leadToNode()]);
  const client: Client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
  const account = privateKeyToAccount(file.accounts[0]?.privateKey as `0x${string}`);
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain: 'chiado', message: linkMessage, signature } });
  const iban = await openIban(client, account.address, 'chiado');
  const settings = cliSettings({ MINTRAIL_DATA_DIR: run.dataDir });
  const pool = createPool({ connectionString: directUrl(settings), max: 2, name: 'test' });
  const ledger: Ledger = createLedger(pool, wakesNobody);
  const sealer = openSealer(settings);
  const orders = new Map<string, string>();
  let redemptions = 0;
  const receivers = { failing: await startWebhookReceiver(), healthy: await startWebhookReceiver() };
  for (const { url } of Object.values(receivers))
    await client.post('/webhooks', { body: { url: url(), secret, types: ['order.updated'] } });
  const readKinds = async () => {
    const read = readProblems(ledger, settings).catch(() => undefined);
    const status = await Promise.race([read, delay(5_000).then(() => undefined)]);
    return [...(status?.problems ?? []), ...(status?.warnings ?? [])];
  };
  const partner = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });

  return {
    run,
    dependencies,
    deployment,
    receivers,
    signalFirst(command, name) {
      signalAll(run.find(command).slice(0, 1), name);
    },
    signal(command, name) {
      // Redis is a process of the test, and not of the sandbox.
      const found = [
        ...run.find(command),
        ...processTree(process.pid).filter(({ command: line }) => redisServer.test(line) && command.test(line)),
      ];
      if (found.length === 0) throw new Error(`no process of the sandbox is ${command.source}`);
      signalAll(found, name);
    },
    async setReadOnly(isReadOnly) {
      const database = new PostgresClient({ connectionString: directUrl(settings) });
      await database.connect();
      await database.query('set transaction_read_only = off').catch(() => {});
      await database.query(`alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
      await database.query('select pg_reload_conf()');
      await database.end();
    },
    async pay(reference) {
      const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
      const body = { iban, amount: '1.00', currency: 'eur', payer, reference, remittance: `chiado:${account.address}` } as const;
      const answer = await until(`the payment ${reference} is heard`, () =>
        Promise.race([client.post('/sandbox/credits', { body }).catch(() => undefined), delay(5_000).then(() => undefined)]),
      );
      const id = answer.order?.id as string;
      orders.set(reference, id);
      return id;
    },
    async redeem() {
      const to = { standard: 'iban', iban: 'IS140159260076545510730339' } as const;
      const amount = '1.00';
      redemptions += 1;
      // The message has the minute, and no two of an account may be equal.
      const message = paymentMessage({ currency: 'eur', amount, to, at: new Date(Date.now() + redemptions * 3_600_000) });
      const body = {
        id: randomUUID(),
        kind: 'redeem',
        address: account.address,
        chain: 'chiado',
        currency: 'eur',
        amount,
        message,
        counterpart: { identifier: to, details: { name: 'Jón Jónsson', country: 'IS' } },
        signature: await account.signMessage({ message }),
      } as const;
      await insist(() => client.post('/orders', { body }));
    },
    isPaidOut() {
      const payments = deployment?.bank.payments() ?? [];
      if (new Set(payments).size !== payments.length) throw new Error(`paid twice: ${payments.join(', ')}`);
      return payments.length === redemptions;
    },
    async mail() {
      const code = String(randomInt(10 ** 8, 10 ** 9));
      await queueMail(ledger, sealer, { recipient: 'jane@example.com', content: { kind: 'sign-up-code', code }, worthMinutes: 60 });
      return code;
    },
    async upload(name) {
      const upload = () => partner.upload(new File([pdf], `${name}.pdf`, { type: 'application/pdf' }));
      const { id } = await until('the file is taken', () =>
        Promise.race([upload().catch(() => undefined), delay(10_000).then(() => undefined)]),
      );
      return id;
    },
    loggedTime() {
      const times = readFileSync(path.join(run.dataDir, 'logs', 'api.log'), 'utf8').match(/"time":\d+/g);
      return Number(times?.at(-1)?.slice('"time":'.length));
    },
    async failingReceivers() {
      const read = readStatus(ledger, settings).catch(() => undefined);
      const found = await Promise.race([read, delay(5_000).then(() => undefined)]);
      return found?.failingWebhooks.length ?? 0;
    },
    async isProcessed() {
      const read = Promise.all([...orders.values()].map((id) => client.get('/orders/{orderId}', { path: { orderId: id } })));
      const found = await Promise.race([read.catch(() => undefined), delay(5_000).then(() => undefined)]);
      return found?.every(({ state }) => state === 'processed') ?? false;
    },
    problem: async () => (await readKinds()).find(({ overdue }) => overdue)?.kind,
    problems: async () => (await readKinds()).map(({ kind }) => kind),
    async unready() {
      try {
        const { status } = await fetch(`${file.apiUrl}/health/ready`, { signal: AbortSignal.timeout(2_000) });
        return status === 200 ? undefined : `health/ready ${status}`;
      } catch {
        return 'health/ready is silent';
      }
    },
    async miscounted() {
      const mints = await readMints(file, 'eur');
      return [...orders.values()].filter((id) => mints.filter(({ orderId }) => orderId === id).length !== 1);
    },
    async stop() {
      await ledger.destroy();
      await run.stop();
      await Promise.all([dependencies.close(), deployment?.close(), receivers.failing.close(), receivers.healthy.close()]);
      run.remove();
    },
  };
}
