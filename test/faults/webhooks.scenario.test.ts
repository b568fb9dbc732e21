import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sandboxPayees } from '../../src/bank/sandbox-rail.ts';
import { type Client, createClient } from '../../client/index.ts';
import { type Answer, type ReceivedDelivery, startWebhookReceiver, type WebhookReceiver } from '../support/webhooks/receiver.ts';
import { until } from '../support/until.ts';
import { type Customer, onboard, pay, redeem, submitPerson } from '../scenarios/customers.ts';
import { signalAll } from '../support/processes/process-tree.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { createSandboxRun, type SandboxRun } from '../scenarios/sandbox-run.ts';

const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31));
const random = seededRandom(seed);
const name = 'a subscriber with a bad connection';
/** `npm run faults`, which may name it. `npm test` has the sender of deliveries under the same faults, without the whole service. */
const isAsked = new RegExp(process.env['FAULTS'] ?? '(?!)', 'i').test(name);

const types = ['iban.updated', 'order.created', 'order.updated', 'profile.error', 'profile.updated'] as const;
const secret = `whsec_${randomBytes(32).toString('base64')}`;

/** The sandbox's bank pays it at once. */
const payee = 'IS140159260076545510730339';

describe.runIf(isAsked)(`${name} (FAULT_SEED=${seed})`, () => {
  let run: SandboxRun;
  let client: Client;
  let receiver: WebhookReceiver;
  let sentBack: string;
  const customers: Customer[] = [];
  const ids = { paid: [] as string[], redeemed: [] as string[], refused: [] as string[] };
  const kills: number[] = [];

  beforeAll(async () => {
    run = await createSandboxRun(['--chain', 'chiado']);
    const file = await run.start();
    client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
    receiver = await startWebhookReceiver({ secret, decide: createFaults() });
    await client.post('/webhooks', { body: { url: receiver.url(), secret, types: [...types] } });

    sentBack = await submitPerson(client, 'Review');
    await client.post('/sandbox/profiles/{id}/incomplete', { path: { id: sentBack }, body: {} });
    customers.push(...(await Promise.all(Array.from({ length: 3 }, () => onboard(client)))));
    for (const customer of customers) ids.paid.push(await pay(client, customer, '50.00'));
    await processed(ids.paid);
    await shoot();
    for (const customer of customers) {
      ids.redeemed.push(await redeem(client, customer, '10.00', payee));
      ids.refused.push(await redeem(client, customer, '5.00', sandboxPayees.refused));
      ids.paid.push(await pay(client, customer, '20.00'));
    }
    await shoot();
    await until('every order has ended', async () => {
      const orders = await readAll();
      return (orders.length === 12 && orders.every(({ state }) => state === 'processed' || state === 'rejected')) || undefined;
    });
    await until('every event has been taken', async () => ((await missing()).length === 0 ? true : undefined));
  });

  afterAll(async () => {
    await receiver?.close();
    await run?.stop();
    run?.remove();
  });

  it('is told of everything that happened, as the API shows it, and no event is lost', async () => {
    expect(new Set(receiver.accepted().map(({ type }) => type))).toEqual(new Set(['subscription.created', ...types]));
    expect(await missing()).toEqual([]);
    expect(receiver.accepted().filter(({ type }) => type === 'subscription.created')).toHaveLength(1);
    for (const order of await readAll()) expect(dataOf(latest(order.id))).toEqual(order);
    for (const id of ids.refused) expect(dataOf(latest(id))).toMatchObject({ state: 'rejected' });
    for (const profile of [sentBack, ...customers.map((one) => one.profile)])
      expect(dataOf(latest(profile, 'profile.updated'))).toEqual(await client.get('/profiles/{profile}', { path: { profile } }));
    expect(dataOf(latest(sentBack, 'profile.error'))).toMatchObject({ id: sentBack, errors: [{ field: 'details' }] });
    for (const { iban } of customers) expect(dataOf(latest(iban))).toMatchObject({ iban, state: 'approved' });
  });

  it('is told in the order in which it happened, for each order, profile and IBAN', () => {
    for (const id of [...ids.paid, ...ids.redeemed, ...ids.refused]) {
      const told = about(id).map(({ type }) => type);
      // Again and again, but never after the next one.
      expect(told.filter((type, index) => type !== told[index - 1])).toEqual(['order.created', 'order.updated']);
    }
    for (const profile of customers.map((one) => one.profile)) {
      const states = firsts(about(profile)).map((one) => (dataOf(one) as { state: string }).state);
      expect(states.at(-1)).toBe('approved');
      expect(states.toSorted((one, other) => progress.indexOf(one) - progress.indexOf(other))).toEqual(states);
    }
    const times = firsts(receiver.received).filter(({ subject }) => subject === sentBack);
    expect(times.map(({ body }) => body).toSorted(byTimestamp)).toEqual(times.map(({ body }) => body));
  });

  it('is sent nothing twice but under the same webhook-id and with the same body, and each attempt is verified', () => {
    const bodies = new Map<string, Set<string>>();
    for (const { id, body } of receiver.received) bodies.set(id, (bodies.get(id) ?? new Set()).add(body));
    for (const [id, of] of bodies) expect(of.size, `bodies of ${id}`).toBe(1);
    expect(new Set(firsts(receiver.received).map(({ body }) => body)).size).toBe(bodies.size);
    const faults = receiver.received.filter(({ answer }) => answer !== 200);
    expect(new Set(faults.map(({ answer }) => answer))).toEqual(new Set([500, 'reset', 'hang']));
    expect(kills).toHaveLength(2);
    expect(Math.min(...kills)).toBeGreaterThan(0);
  });

  it('sees in its list of deliveries that all were delivered, and how often it was tried', async () => {
    const [subscription = ''] = (await client.get('/webhooks')).subscriptions.map(({ id }) => id);
    // An acceptance is written down a moment after it has come.
    const { deliveries, total } = await until('all are written down as delivered', async () => {
      const listed = await client.get('/webhooks/{subscription}/deliveries', { path: { subscription } });
      return listed.deliveries.every(({ state }) => state === 'delivered') ? listed : undefined;
    });
    expect(total).toBe(new Set(receiver.accepted().map(({ id }) => id)).size - 1);
    expect(Math.max(...deliveries.map(({ attempts }) => attempts))).toBeGreaterThan(1);
  });

  /** The worker ends in the middle of what it does. */
  async function shoot(): Promise<void> {
    await delay(random() * 500);
    // After the first shot it takes a while to be started again.
    const workers = await until('the worker runs', async () => {
      const running = run.find(/main\.ts worker /);
      return running.length > 0 ? running : undefined;
    });
    kills.push(workers.length);
    signalAll(workers, 'SIGKILL');
  }

  async function processed(orders: string[]): Promise<void> {
    await until('the tokens are there', async () => {
      const all = await readAll();
      return orders.every((id) => all.find((order) => order.id === id)?.state === 'processed') || undefined;
    });
  }

  async function readAll() {
    const all = await Promise.all(
      customers.map(({ profile }) => client.get('/orders', { query: { profile } }).catch(() => ({ orders: [] }))),
    );
    return all.flatMap(({ orders }) => orders);
  }

  /** What must have been told and was not taken yet. */
  async function missing(): Promise<string[]> {
    const orders = (await readAll()).flatMap(({ id }) => [`${id} order.created`, `${id} order.updated`]);
    const states = customers.flatMap(({ profile, iban }) => [`${profile} profile.updated approved`, `${iban} iban.updated approved`]);
    const taken = new Set(
      receiver.accepted().flatMap((one) => {
        const { state } = (dataOf(one) ?? {}) as { state?: string };
        return [`${one.subject} ${one.type}`, `${one.subject} ${one.type} ${state}`];
      }),
    );
    const ofSentBack = [`${sentBack} profile.updated incomplete`, `${sentBack} profile.error`];
    return [...orders, ...states, ...ofSentBack].filter((one) => !taken.has(one));
  }

  function about(subject: string): ReceivedDelivery[] {
    return receiver.received.filter((one) => one.subject === subject);
  }

  function latest(subject: string, type?: string): ReceivedDelivery {
    const found = firsts(about(subject)).findLast((one) => type === undefined || one.type === type);
    if (!found) throw new Error(`nothing was told about ${subject}`);
    return found;
  }
});

const progress = ['created', 'incomplete', 'pending', 'approved'];

/** Each event once, where it came first. */
function firsts(received: readonly ReceivedDelivery[]): ReceivedDelivery[] {
  return received.filter(({ id }, index) => received.findIndex((one) => one.id === id) === index);
}

function dataOf({ body }: ReceivedDelivery): unknown {
  return (JSON.parse(body) as { data: unknown }).data;
}

function byTimestamp(one: string, other: string): number {
  const [first = 0, second = 0] = [one, other].map((body) => Date.parse((JSON.parse(body) as { timestamp: string }).timestamp));
  return first - second;
}

/** One delivery meets silence, and every third one something else, at its first attempt. */
function createFaults(): (delivery: Omit<ReceivedDelivery, 'answer'>) => Answer {
  const seen = new Set<string>();
  let hung = 0;
  return ({ id, type }) => {
    if (type === 'subscription.created' || seen.has(id)) return 200;
    seen.add(id);
    if (type === 'iban.updated' && hung < 1) {
      hung += 1;
      return 'hang';
    }
    if (seen.size % 3 !== 0) return 200;
    return random() < 0.5 ? 500 : 'reset';
  };
}
