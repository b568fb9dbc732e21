import { type ChildProcess, spawn } from 'node:child_process';
import { privateKeyToAccount, generatePrivateKey } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { type Client, createClient, linkMessageFor, paymentMessage } from '../../client/index.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { rootPosition } from '../../src/platform/tracing/spans.ts';
import { openIban } from '../scenarios/customers.ts';
import { sharedSandbox } from '../scenarios/shared-sandbox.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/tracing/otlp-receiver.ts';
import { until } from '../support/until.ts';

const chain = 'chiado';
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const payee = { standard: 'iban', iban: 'DE89370400440532013000' } as const;

let collector: OtlpReceiver;
let file: SandboxFile;
let client: Client;
const started: ChildProcess[] = [];

beforeAll(async () => {
  collector = await startOtlpReceiver(inject('collectorPort'));
  ({ file } = await sharedSandbox());
  client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
});
afterAll(async () => {
  for (const child of started) child.kill();
  collector?.close();
});

/** Starts an example, as its first lines say. Its output is what it has printed so far. */
function example(name: string, env: Record<string, string>, args: readonly string[] = []) {
  const child = spawn(process.execPath, ['--conditions=mintrail-source', ...args, `examples/${name}`], { env: { ...process.env, ...env } });
  started.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const ended = new Promise<{ code: number | null; printed: string }>((resolve) => {
    child.once('close', (code) => resolve({ code, printed }));
  });
  return {
    ended,
    prints: (text: RegExp) =>
      until(`${name} prints ${String(text)}`, async () => text.exec(printed) ?? undefined).catch((cause: unknown) => {
        throw new Error(`${name} printed: ${printed}`, { cause });
      }),
  };
}

/** Makes the first look of the bot at the clock one at 23:59:59 of the day before. */
const beforeMidnight = `
  const Real = Date;
  let isFirst = true;
  globalThis.Date = class extends Real {
    constructor(...parameters) {
      if (isFirst && parameters.length === 0 && new Error().stack.includes('pay-daily')) {
        isFirst = false;
        super(Math.floor(Real.now() / 86_400_000) * 86_400_000 - 1_000);
      } else super(...parameters);
    }
  };`;

describe('the examples, with a running sandbox', () => {
  it('a partner onboards a customer, from the profile to the IBAN', async () => {
    const { clientId, clientSecret } = file.applications.whitelabel;
    const onboarding = example('onboarding/onboard.ts', { API: file.apiUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret });
    await onboarding.prints(/is approved[^]*Money to IS\d+ becomes tokens at 0x/);
  });

  it('the receiver takes the events of a credit and a redemption, and the collector sees a trace of each', async () => {
    const key = generatePrivateKey();
    const wallet = privateKeyToAccount(key);
    const { defaultProfile: profile = '' } = await client.get('/auth/context');
    const account = { address: wallet.address, chain } as const;
    const link = linkMessageFor({ ...account, baseUrl: file.apiUrl, profile });
    await client.post('/addresses', { body: { ...account, message: link, signature: await wallet.signMessage({ message: link }) } });
    const iban = await openIban(client, wallet.address, chain);

    const port = await freePort();
    const url = `http://127.0.0.1:${port}/`;
    const secret = `whsec_${Buffer.from('a secret of thirty-two bytes....').toString('base64')}`;
    const receiver = example('webhook-receiver/receiver.ts', { PORT: String(port), WEBHOOK_SECRET: secret });
    await receiver.prints(/Listening/);
    await client.post('/webhooks', { body: { url, secret, types: ['order.created', 'order.updated'] } });
    await receiver.prints(/subscription\.created/);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(400);

    const credit = await client.post('/sandbox/credits', {
      body: { iban, amount: '100.00', currency: 'eur', payer, remittance: `${chain}:${wallet.address}` },
    });
    const issued = credit.order?.id ?? '';
    await receiver.prints(new RegExp(`order.updated ${issued} issue 100.00 eur processed`));

    const payment = { ...account, kind: 'redeem', currency: 'eur', amount: '10.50' } as const;
    const message = paymentMessage({ ...payment, to: payee });
    const counterpart = { identifier: payee, details: { name: 'Max Mustermann', country: 'DE' } };
    const placed = await client.post('/orders', {
      body: { ...payment, counterpart, message, signature: await wallet.signMessage({ message }) },
    });
    const redeemed = 'id' in placed ? placed.id : '';
    await receiver.prints(new RegExp(`order.updated ${redeemed} redeem 10.50 eur processed`));

    // 89.50 are left: above the float of 50 the bot pays, and once.
    const { clientId, clientSecret } = file.applications.private;
    const bot = {
      API: file.apiUrl,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      TREASURY_KEY: key,
      PAYEE_IBAN: payee.iban,
      PAYEE_NAME: 'Max',
    };
    // It begins at 23:59:59, and everything after its first look at the clock is on the next day: both runs pay the day before, once.
    const late = ['--import', `data:text/javascript,${encodeURIComponent(beforeMidnight)}`];
    const runs = await Promise.all([1, 2, 3].map(() => example('treasury/pay-daily.ts', bot, late).ended));
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    for (const { code, printed } of runs) {
      expect(printed).toMatch(new RegExp(`^(Pays 39\\.50 EUR to ${payee.iban}|The payment of ${yesterday} is \\w+: 39\\.50? EUR)\\.\n$`));
      expect(code).toBe(0);
    }
    const { orders } = await client.get('/orders', { query: { address: wallet.address, memo: `Surplus of ${yesterday}` } });
    expect(orders.map(({ amount }) => amount)).toEqual(['39.50']);
    // The day after has begun; what is held is promised to the payment of the day before, or gone.
    const next = await example('treasury/pay-daily.ts', bot).ended;
    expect([0, 75]).toContain(next.code);
    expect(next.printed).toMatch(/^(Nothing to pay|The payment of \S+ was not placed\. .* The next run tries again)[^\n]*\n$/);
    const away = await example('treasury/pay-daily.ts', { ...bot, API: `http://127.0.0.1:${await freePort()}` }).ended;
    expect(away).toMatchObject({ code: 75, printed: expect.stringMatching(/^The payment of [^\n]* tries again\.\n$/) });

    const ofIssue = ['POST /sandbox/credits', 'deliver event', 'mine transaction', 'receive credit', 'send leg', 'settle leg'];
    const ofRedemption = ['POST /orders', 'deliver event', 'hand payment to the bank', 'mine transaction', 'send leg', 'settle leg'];
    for (const [order, names] of [
      [issued, ofIssue],
      [redeemed, ofRedemption],
    ] as const) {
      const { traceId, spanId } = rootPosition(order);
      const trace = await until(`the trace ${traceId} is whole`, async () => {
        const spans = collector.spans.filter((span) => span.traceId === traceId);
        return spans.filter(({ name }) => name === 'deliver event').length >= 2 && spans.some(({ name }) => name === 'mine transaction')
          ? spans
          : undefined;
      });
      expect([...new Set(trace.map(({ name }) => name))].toSorted()).toEqual(names);
      expect(trace.filter(({ parentSpanId }) => parentSpanId === '')).toMatchObject([{ name: names[0], spanId, process: 'api' }]);
      expect(new Set(trace.map(({ parentSpanId }) => parentSpanId))).toEqual(new Set(['', spanId]));
      const [sent] = trace.find(({ name }) => name === 'send leg')?.links ?? [];
      const transaction = collector.spans.find((span) => span.traceId === sent && span.name === 'send transaction');
      expect(transaction?.links).toContain(traceId);
    }
    expect(collector.spans.filter(({ isFailed }) => isFailed)).toEqual([]);
    for (const personal of ['Jón', 'Max', iban, payee.iban, payer.iban, secret]) expect(collector.text()).not.toContain(personal);
  });
});
