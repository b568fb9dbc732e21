import { createAdaptorServer } from '@hono/node-server';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createParser } from 'eventsource-parser';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { holdLegs } from '../../../src/ledger/lanes/held-legs.ts';
import { createApp } from '../../../src/api/app.ts';
import { createOrderStreams, streamsPerApplication } from '../../../src/api/orders/order-streams.ts';
import { runApi } from '../../../src/api/run-api.ts';
import { findCaller } from '../../../src/ledger/access/access-tokens.ts';
import { disableApplication } from '../../../src/ledger/access/applications/disable-application.ts';
import { hashSecret } from '../../../src/ledger/access/applications/secrets.ts';
import { type EventRow, eventColumns, eventOf } from '../../../src/ledger/orders/events.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { createLog } from '../../../src/platform/log.ts';
import { defaultQuotas } from '../../../src/platform/settings.ts';
import { eventBody } from '../../../src/wire/event.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { claimReady } from '../../support/claim-ready.ts';
import { until } from '../../support/until.ts';
import { createTestApi, eurToken, type Partner, type TestApi } from '../support/test-api.ts';
import { type Redeemer, redeemer } from './redeeming.ts';
import { endLeg } from '../../support/end-leg.ts';

interface Told {
  id: string;
  event: string;
  data: { type: string; timestamp: string; data: { id: string; profile: string; state: string } };
}

let api: TestApi;
let server: Server;
let base: string;
let closing: AbortController;
const open: IncomingMessage[] = [];

beforeAll(async () => {
  api = await createTestApi();
  await serve();
});
afterEach(() => open.splice(0).forEach((response) => response.destroy()));
afterAll(async () => {
  closing.abort();
  server.close();
  await api.close();
});

/** Serves the API on a socket; again, as after a restart. */
async function serve(): Promise<void> {
  closing = new AbortController();
  server = createAdaptorServer({ fetch: createApp({ ...api.deps, closing: closing.signal }).fetch }) as Server;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connect(by: Pick<Partner, 'headers'>, query = '', headers: Record<string, string> = {}) {
  const request = httpRequest(`${base}/orders/stream${query}`, { headers: { ...by.headers, Accept: 'text/event-stream', ...headers } });
  request.on('error', () => undefined);
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  open.push(response);
  const told: Told[] = [];
  const state = { ended: false, cursor: '' };
  const parser = createParser({
    onEvent: ({ id, event, data }) => told.push({ id: id ?? '', event: event ?? '', data: JSON.parse(data) }),
  });
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    state.cursor ||= /^id: (.*)$/m.exec(chunk)?.[1] ?? '';
    if (response.statusCode === 200) parser.feed(chunk);
  });
  for (const event of ['end', 'close', 'error']) response.on(event, () => (state.ended = true));
  return { response, told, state, status: response.statusCode };
}

/** Where a stream begins that is opened without the API around it. */
const start = { id: '42', position: 0n };

const dispatch = () => dispatchEvents(api.ledger, 100_000);

async function place(by: Redeemer): Promise<string> {
  const { id } = (await by.post('/orders', await by.order())).json;
  await dispatch();
  return id;
}

async function reject(order: string): Promise<void> {
  await endLeg(api.ledger, order, 'redeem', { refused: 'account blocked' });
  await dispatch();
}

const gets = (stream: { told: Told[] }, count: number) =>
  until(`${count} events were told`, async () => (stream.told.length >= count ? stream.told : undefined));
const ends = (stream: { state: { ended: boolean } }) => until('the stream ended', async () => stream.state.ended || undefined);
const orders = (told: Told[]) => told.map(({ data }) => data.data.id);
const tokenHash = (by: Partner) => hashSecret(by.headers.Authorization.split(' ')[1] ?? '');

describe('GET /orders/stream', () => {
  it('tells what happens from now on, in the words of webhooks', async () => {
    const caller = await redeemer(api);
    await place(caller);
    const stream = await connect(caller);
    expect(stream.response.headers['content-type']).toBe('text/event-stream');
    await until('the place where it begins is told', async () => stream.state.cursor || undefined);
    expect(stream.response.headers['last-event-id']).toBe(stream.state.cursor);
    const order = await place(caller);
    await gets(stream, 1);
    await reject(order);
    const told = await gets(stream, 2);
    const { rows } = await sql<EventRow>`select ${eventColumns('e')} from events e where subject = ${order} order by sequence`.execute(
      api.ledger,
    );
    expect(told).toEqual(rows.map((row) => ({ id: row.id, event: row.type, data: eventBody(eventOf(row)) })));
    expect(told.map(({ event }) => event)).toEqual(['order.created', 'order.updated']);
  });

  it('tells that an order is held, of which no webhook is sent, and the order and its history say until when', async () => {
    const caller = await redeemer(api);
    const stream = await connect(caller);
    await until('the place where it begins is told', async () => stream.state.cursor || undefined);
    const id = await place(caller);
    const signer = lowerAddress('0xsigner');
    const claimed = await claimReady(api.ledger, { chain: 'chiado', signer, limit: 1_000, tokens: { eur: eurToken } });
    const midnight = new Date('2100-01-01T00:00:00.000Z');
    await holdLegs(
      api.ledger,
      signer,
      claimed.filter(({ orderId }) => orderId === id),
      midnight,
    );
    await dispatch();
    const [, held] = await gets(stream, 2);
    const meta = { heldUntil: midnight.toISOString(), heldReason: expect.stringContaining('is used up') as string };
    expect(held).toMatchObject({ event: 'order.held', data: { type: 'order.held', data: { id, state: 'placed', meta } } });
    expect((await caller.get(`/orders/${id}`)).json).toMatchObject({ meta });
    expect((await caller.get(`/orders?profile=${caller.profile}`)).json.orders).toMatchObject([{ id, meta }]);
    const { events } = (await caller.get(`/orders/${id}/events`)).json;
    expect(events).toContainEqual({ type: 'order.held', at: expect.any(String) as string, reason: meta.heldReason });

    await reject(id);
    expect((await caller.get(`/orders/${id}`)).json.meta).not.toHaveProperty('heldUntil');
    const types = await api.ledger.selectFrom('webhookDeliveries').where('subject', '=', id).select('type').execute();
    expect(types.map(({ type }) => type)).not.toContain('order.held');
  });

  it('shows nothing of foreign profiles, nor of other own ones when one is named', async () => {
    const [caller, stranger] = [await redeemer(api), await redeemer(api)];
    const partner = await api.partner('whitelabel');
    const { id: customer } = (await partner.post('/profiles', { kind: 'personal' })).json;
    const streams = [await connect(caller), await connect(partner), await connect(partner, `?profile=${partner.profile}`)] as const;
    await place(stranger);
    const own = await place(caller);
    await sql`update orders set profile = ${customer} where id = ${own}`.execute(api.ledger);
    await reject(own);
    expect(orders(await gets(streams[0], 1))).toEqual([own]);
    expect((await gets(streams[1], 1)).map(({ event, data }) => [event, data.data.profile])).toEqual([['order.updated', customer]]);
    expect(streams[2].told).toEqual([]);
    expect((await connect(caller, `?profile=${stranger.profile}`)).status).toBe(403);
  });

  it('goes on where it was, over restarts, without loss or repetition', async () => {
    const caller = await redeemer(api);
    let stream = await connect(caller);
    const [read, placed]: [string[], string[]] = [[], []];
    await until('the place is known', async () => stream.state.cursor || undefined);
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 3; count += 1) placed.push(await place(caller));
      if (round > 0) await gets(stream, 1);
      closing.abort();
      await ends(stream);
      server.close();
      read.push(...orders(stream.told));
      placed.push(await place(caller));
      await serve();
      stream = await connect(caller, '', { 'Last-Event-ID': stream.told.at(-1)?.id ?? stream.state.cursor });
    }
    await gets(stream, placed.length - read.length);
    expect([...read, ...orders(stream.told)]).toEqual(placed);
  });

  it('cuts off who does not read, who then goes on without loss', async () => {
    const caller = await redeemer(api);
    const slow = await connect(caller);
    await until('the place is known', async () => slow.state.cursor || undefined);
    slow.response.pause();
    const { profile } = caller;
    const counterpart = JSON.stringify({ identifier: { standard: 'iban' }, details: { name: 'x'.repeat(10_000) } });
    const many = 3_000;
    await sql`
      insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo)
      select gen_random_uuid(), 'issue', ${profile}, ${caller.wallet.address.toLowerCase()}, 'chiado', 'eur', 1, ${counterpart}::jsonb, ''
      from generate_series(1, ${many})`.execute(api.ledger);
    await dispatch();
    await until('the connection was closed', async () => {
      const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
      return connections === 0 ? true : undefined;
    });
    slow.response.resume();
    await ends(slow);
    expect(slow.told.length).toBeLessThan(many);
    const again = await connect(caller, '', { 'Last-Event-ID': slow.told.at(-1)?.id ?? slow.state.cursor });
    await gets(again, many - slow.told.length);
    const read = orders([...slow.told, ...again.told]);
    expect(new Set(read).size).toBe(many);
    expect(read).toHaveLength(many);
  });

  it('refuses places that are unknown or too long ago', async () => {
    const caller = await redeemer(api);
    const stream = await connect(caller);
    await place(caller);
    await place(caller);
    const [event] = await gets(stream, 2);
    await sql`update events set created_at = now() - interval '8 days' where profile = ${caller.profile}`.execute(api.ledger);
    for (const cursor of [randomUUID(), 'nonsense', event?.id ?? '']) {
      const { status, json } = await api.send('GET', '/orders/stream', { headers: { ...caller.headers, 'Last-Event-ID': cursor } });
      expect(status).toBe(400);
      expect(Object.keys(json.errors)).toEqual(['after']);
    }
  });

  it('neither names nor takes the events of others', async () => {
    const [caller, stranger] = [await redeemer(api), await redeemer(api)];
    const theirs = await connect(stranger);
    await place(stranger);
    const [foreign] = await gets(theirs, 1);
    const begun = await connect(caller);
    await until('it has begun', async () => (begun.state.cursor === '' ? undefined : true));
    expect(begun.state.cursor).toMatch(/^sealed:/);
    const statusOf = async (by: Redeemer, cursor: string) => (await connect(by, `?after=${encodeURIComponent(cursor)}`)).status;
    expect(await statusOf(caller, foreign?.id ?? '')).toBe(400);
    expect(await statusOf(stranger, foreign?.id ?? '')).toBe(200);
    expect(await statusOf(stranger, begun.state.cursor)).toBe(400);
    expect(await statusOf(caller, begun.state.cursor)).toBe(200);
  });

  it('is limited in number for an application', async () => {
    const caller = await api.partner();
    for (let count = 0; count < streamsPerApplication; count += 1) expect((await connect(caller)).status).toBe(200);
    const refused = await connect(caller);
    expect(refused.status).toBe(429);
    expect(Number(refused.response.headers['retry-after'])).toBeGreaterThan(0);
    open.splice(0).forEach((response) => response.destroy());
    await until('there is room again', async () => ((await connect(caller)).status === 200 ? true : undefined));
  });

  it('is not opened by HEAD, whose answer nobody reads', async () => {
    const caller = await api.partner();
    for (let count = 0; count < streamsPerApplication; count += 1) {
      const response = await fetch(`${base}/orders/stream`, { method: 'HEAD', headers: caller.headers });
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/event-stream']);
    }
    expect((await connect(caller)).status).toBe(200);
  });

  it('is limited in number for a user, who leaves room for the other users of the application', async () => {
    const known = await findCaller(api.ledger, tokenHash(await api.partner()));
    if (!known) throw new Error('the token is not known');
    const streams = createOrderStreams({ ledger: api.ledger, log: createLog('silent'), closing: new AbortController().signal });
    const opened: ReadableStream[] = [];
    const openFor = async (user: string) => {
      const caller = { ...known, kind: 'authorization_code' as const, user };
      opened.push(await streams.open({ caller, tokenHash: Buffer.alloc(32), profile: undefined, after: start, cut: () => {} }));
    };
    const [user, other] = [randomUUID(), randomUUID()];
    for (let count = 0; count < defaultQuotas.streams; count += 1) await openFor(user);
    await expect(openFor(user)).rejects.toMatchObject({ code: 'rate_limited', message: /This user has 5 streams open/ });
    for (let count = 0; count < defaultQuotas.streams; count += 1) await openFor(other);
    for (let users = 2; users < 10; users += 1) await openFor(randomUUID());
    for (const stream of opened) await stream.cancel();
  });

  it('ends with its access token', async () => {
    const caller = await api.partner();
    await sql`update access_tokens set expires_at = now() + interval '1 second' where hash = ${tokenHash(caller)}`.execute(api.ledger);
    await ends(await connect(caller));
  });

  it('speaks the versions that the API speaks', async () => {
    const caller = await api.partner();
    const status = async (Accept: string) => (await connect(caller, '', { Accept })).status;
    expect(await status('application/vnd.mintrail.api-v2+json')).toBe(200);
    expect(await status('text/*;q=0.5')).toBe(200);
    expect(await status('application/vnd.mintrail.api-v1+json')).toBe(406);
    expect((await api.send('GET', '/orders', { headers: { ...caller.headers, Accept: 'text/event-stream' } })).status).toBe(200);
  });
});

describe('an open stream', () => {
  it('gives signs of life, and ends when its application is disabled', async () => {
    const caller = await api.partner();
    const log = createLog('silent');
    const streams = createOrderStreams({ ledger: api.ledger, log, closing: new AbortController().signal, heartbeatMs: 50 });
    const known = await findCaller(api.ledger, tokenHash(caller));
    if (!known) throw new Error('the token is not known');
    const stream = await streams.open({ caller: known, tokenHash: tokenHash(caller), profile: undefined, after: start, cut: () => {} });
    const reader = stream.getReader();
    const next = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await next()).toMatch(/^retry: 1000\nid: 42\n\n$/);
    expect(await next()).toBe(':\n\n');
    await disableApplication(api.ledger, caller.clientId);
    await until('it ended', async () => ((await reader.read()).done ? true : undefined));
  });

  it('does not delay the end of the process', async () => {
    const running = await runApi({ ...api.deps.settings, port: 0, logLevel: 'silent', dataDir: api.dataDir });
    const caller = await api.partner();
    base = running.url;
    const stream = await connect(caller);
    await until('it is open', async () => stream.state.cursor || undefined);
    await running.close();
    await ends(stream);
    // A connection that is cut off, as it is when the process has waited for long, leaves an answer without its end.
    expect(stream.response.complete).toBe(true);
  });
});
