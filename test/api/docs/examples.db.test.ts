import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Example, readExamples } from '../../../src/api/docs/examples.ts';
import { createSandboxRail } from '../../../src/bank/sandbox-rail.ts';
import { takePaymentBatch } from '../../../src/ledger/bank/payment-batches.ts';
import { makePaymentsOfLegs } from '../../../src/ledger/bank/payment-legs.ts';
import { assignIbans } from '../../support/assign-ibans.ts';
import { recordAttempt } from '../../../src/ledger/webhooks/attempts.ts';
import { claimDeliveries } from '../../../src/ledger/webhooks/claims.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { createMailCatcher } from '../../../src/platform/caught-mail.ts';
import type { Mail } from '../../../src/platform/mail.ts';
import { bankOrder } from '../orders/redeeming.ts';
import { completed } from '../customers/profiles-data.ts';
import { createTestApi, linkMessage, type Partner, type TestApi } from '../support/test-api.ts';
import { createTestMaker, swapEnv } from '../swap/swap-maker.ts';
import { createCorrespondence } from './correspondence.ts';
import { type Document, spelledOut } from './left-out.ts';
import { pdf } from '../../support/documents.ts';
import { endLeg } from '../../support/end-leg.ts';

/** With EXAMPLES=record the answers of the run are written into the examples, for somebody to read and commit. */
const isRecording = process.env['EXAMPLES'] === 'record';
const folder = path.resolve(import.meta.dirname, '../../../docs/examples');

/** The examples tell one story. Its order is that of a customer who becomes one, receives money, pays, and has trouble. */
const story = [
  'GET /',
  'GET /health/live',
  'GET /health/ready',
  'GET /tokens',
  'GET /countries',
  'GET /.well-known/oauth-authorization-server',
  'GET /auth',
  'POST /auth',
  'POST /auth/token',
  'GET /auth/context',
  'POST /files',
  'POST /profiles',
  'PATCH /profiles/{profile}/details',
  'PATCH /profiles/{profile}/form',
  'PATCH /profiles/{profile}/verifications',
  'GET /profiles/{profile}',
  'GET /profiles',
  'POST /sandbox/profiles/{id}/approve',
  'POST /sandbox/profiles/{id}/reject',
  'POST /sandbox/profiles/{id}/incomplete',
  'POST /profiles/{profile}/share',
  'POST /webhooks',
  'GET /webhooks',
  'POST /addresses',
  'GET /addresses',
  'GET /addresses/{address}',
  'GET /signatures',
  'POST /ibans',
  'GET /ibans',
  'GET /ibans/{iban}',
  'PATCH /ibans/{iban}',
  'POST /sandbox/credits',
  'GET /balances/{chain}/{address}',
  'POST /orders',
  'GET /orders',
  'GET /orders/{orderId}',
  'GET /orders/stream',
  'POST /sandbox/payouts/{id}/reject',
  'POST /sandbox/payouts/{id}/return',
  'GET /orders/{orderId}/events',
  'GET /webhooks/{subscription}/deliveries',
  'POST /webhooks/{subscription}/deliveries/{delivery}/replay',
  'PATCH /webhooks/{subscription}',
  'DELETE /webhooks/{subscription}',
  'POST /swap',
  'POST /swap/commit',
  'GET /sandbox/mail',
  'GET /sandbox/mail/{id}',
  'POST /auth/revoke',
];

/** The wallet of the examples: the second key of Anvil, which everybody knows. */
const wallet = privateKeyToAccount('0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d');
const contractAccount = '0x90F79bf6EB2c4f870365E785982E1f101E93b906';

const examples = readExamples();
const { bind, toActual, differences, toExample } = createCorrespondence();

let api: TestApi;
let document: Document;
let callers: Record<'treasury' | 'partner', Partner>;

beforeAll(async () => {
  const maker = createTestMaker();
  api = await createTestApi({ swap: maker, env: swapEnv, deliver: async () => ({ ok: true, status: 200, reason: '', milliseconds: 12 }) });
  document = (await api.send('GET', '/openapi.json')).json as Document;
  callers = { treasury: await api.partner(), partner: await api.partner('whitelabel') };
  bind(field('POST /auth/token', 'client_id'), callers.treasury.clientId);
  bind(field('POST /auth/token', 'client_secret'), callers.treasury.secret);
  bind(field('GET /auth', 'client_id'), await browserApplication());
  api.fund(maker.signer.address, 1_000n, 'usd', 'arbitrumsepolia');
});
afterAll(() => api.close());

function field(operation: string, name: string): string {
  const { form = {}, query = {}, path = {}, headers = {} } = exampleOf(operation);
  return form[name] ?? query[name] ?? path[name] ?? headers[name] ?? '';
}

function exampleOf(operation: string): Example {
  const example = examples[operation];
  if (!example) throw new Error(`docs/examples has no ${operation}`);
  return example;
}

async function browserApplication(): Promise<string> {
  const { clientId } = await api.partner('authorization_code');
  const redirectUris = [field('GET /auth', 'redirect_uri')];
  await api.ledger
    .updateTable('applications')
    .set({ redirectUris, permissions: ['read', 'write'] })
    .where('id', '=', clientId)
    .execute();
  return clientId;
}

/** What happens outside the API before some requests. */
const before: Record<string, () => Promise<unknown>> = {
  'POST /sandbox/profiles/{id}/reject': async () =>
    bind(field('POST /sandbox/profiles/{id}/reject', 'id'), await completed(api, callers.partner, { lastName: 'Review' })),
  'POST /sandbox/profiles/{id}/incomplete': async () =>
    bind(field('POST /sandbox/profiles/{id}/incomplete', 'id'), await completed(api, callers.partner, { lastName: 'Review' })),
  'GET /sandbox/mail': () => {
    const { id, recipient, subject, text } = exampleOf('GET /sandbox/mail/{id}').answer as Mail;
    return createMailCatcher(api.deps.settings).send({ id, recipient, subject, text });
  },
  'POST /profiles/{profile}/share': async () => {
    const { id } = (await callers.partner.post('/profiles', { kind: 'personal' })).json as { id: string };
    bind(field('POST /profiles/{profile}/share', 'profile'), id);
  },
  'GET /signatures': () => callers.treasury.post('/addresses', { address: contractAccount, chain: 'chiado', signature: '0x' }),
  'GET /ibans': async () => {
    await assignIbans(api.ledger);
  },
  'POST /swap/commit': () => callers.treasury.link(wallet, 'arbitrumsepolia'),
  'GET /balances/{chain}/{address}': async () => api.fund(wallet.address, 25n),
  'GET /orders/stream': async () => {
    const { id } = await api.ledger
      .selectFrom('events')
      .where('type', '=', 'order.created')
      .where('subject', '!=', toActual(field('GET /orders/{orderId}', 'orderId')))
      .select('id')
      .executeTakeFirstOrThrow();
    await dispatchEvents(api.ledger, 100);
    bind(field('GET /orders/stream', 'Last-Event-ID'), id);
  },
  'POST /sandbox/payouts/{id}/reject': async () => {
    await burn(toActual(field('POST /sandbox/payouts/{id}/reject', 'id')), `0x${'ab'.repeat(32)}`);
  },
  'POST /sandbox/payouts/{id}/return': async () => {
    const { json } = await callers.treasury.post('/orders', await bankOrder(wallet));
    await burn(json.id, `0x${'cd'.repeat(32)}`);
    await takePaymentBatch(api.ledger, createSandboxRail());
    bind(field('POST /sandbox/payouts/{id}/return', 'id'), json.id);
  },
  'GET /webhooks/{subscription}/deliveries': async () => {
    const { claimed } = await claimDeliveries(api.ledger, api.deps.sealer, {
      limit: 1,
      failingLimit: 1,
      slots: [],
      otherSlots: 1,
      leaseSeconds: 60,
    });
    const attempt = { at: new Date().toISOString(), status: 503, error: 'answered 503', duration: 12 };
    for (const claim of claimed) await recordAttempt(api.ledger, claim, attempt, 'failed');
  },
};

/** Confirms the burn of an order, whose payout becomes a payment. */
async function burn(order: string, txHash: string): Promise<void> {
  await endLeg(api.ledger, order, 'redeem', { txHash, blockNumber: 11_832_044n });
  await makePaymentsOfLegs(api.ledger, 100);
}

type Request = Omit<Example, 'status' | 'answer' | 'answerHeaders'>;

function requestOf(example: Example): Request {
  const ofAnswer = new Set(['status', 'answer', 'answerHeaders']);
  return Object.fromEntries(Object.entries(example).filter(([name]) => !ofAnswer.has(name))) as Request;
}

/** The request as it is sent now: what the wallet signs has the time of the run. */
async function signed(example: Request): Promise<Request> {
  const body = example.body as { message?: string; signature?: string } | undefined;
  if (body?.signature === undefined) return example;
  const message = body.message?.replace(/ at .*Z$/, ` at ${new Date().toISOString().slice(0, 19)}Z`) ?? linkMessage;
  return { ...example, body: { ...body, message, signature: await wallet.signMessage({ message }) } };
}

function urlOf(operation: string, { path = {}, query = {} }: Request): string {
  const target = operation.split(' ')[1] ?? '';
  const filled = Object.entries(path).reduce((url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)), target);
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}

/** Sends a request, with null and empty parameters in the place of what it leaves out: the answer is the same. */
async function send(operation: string, request: Request) {
  const example = { ...request, ...spelledOut(document, operation, request) };
  const method = operation.split(' ')[0] ?? '';
  const headers: Record<string, string> = { ...example.headers, ...(example.caller === undefined ? {} : callers[example.caller].headers) };
  let body: string | FormData | undefined;
  if (example.body !== undefined) [body, headers['Content-Type']] = [JSON.stringify(example.body), 'application/json'];
  if (example.form !== undefined)
    [body, headers['Content-Type']] = [new URLSearchParams(example.form).toString(), 'application/x-www-form-urlencoded'];
  if (example.file !== undefined) {
    body = new FormData();
    body.set('file', new File([pdf], example.file));
  }
  const response = await api.app.request(urlOf(operation, example), { method, headers, ...(body === undefined ? {} : { body }) });
  const type = response.headers.get('Content-Type') ?? '';
  const text = type === 'text/event-stream' ? JSON.stringify(await firstEvent(response)) : await response.text();
  const location = response.headers.get('Location');
  return {
    status: response.status,
    ...(location === null ? {} : { answerHeaders: { Location: location } }),
    ...(text === '' ? {} : { answer: JSON.parse(text) as unknown }),
  };
}

/** The first event of a stream; comments keep the connection open before it. */
async function firstEvent(response: Response): Promise<object> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const [, id, event, data = ''] = /id: (.*)\nevent: (.*)\ndata: (.*)\n\n/.exec(text) ?? [];
    if (id !== undefined) return { id, event, data: JSON.parse(data) as unknown };
  }
  throw new Error(`the stream ended without an event: ${text}`);
}

describe('the examples', () => {
  it('are of every operation of the document', async () => {
    const operations = Object.entries(document.paths).flatMap(([url, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${url}`),
    );
    expect(Object.keys(examples).toSorted()).toEqual(operations.toSorted());
    expect(story.toSorted()).toEqual(operations.toSorted());
  });

  // One after the other: each goes on where the one before ended.
  it.each(story)('are answered as they say: %s', async (operation) => {
    await before[operation]?.();
    const example = exampleOf(operation);
    const actual = await send(operation, await signed(toActual(requestOf(example))));
    if (isRecording) record(operation, actual);
    else {
      const { status, answerHeaders, answer } = example;
      expect([
        ...differences(actual, { status, ...(answerHeaders && { answerHeaders }), ...(answer !== undefined && { answer }) }),
      ]).toEqual([]);
    }
  });
});

function record(operation: string, actual: object): void {
  const file = readdirSync(folder).find((name) =>
    Object.hasOwn(JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as object, operation),
  );
  if (file === undefined) throw new Error(`docs/examples has no ${operation}`);
  const target = path.join(folder, file);
  const all = JSON.parse(readFileSync(target, 'utf8')) as Record<string, Example>;
  all[operation] = { ...requestOf(exampleOf(operation)), ...(toExample(actual, operation) as Pick<Example, 'status'>) };
  writeFileSync(target, `${JSON.stringify(all, null, 2)}\n`);
}
