import type { ServerResponse } from 'node:http';
import { expect, expectTypeOf, it } from 'vitest';
import type { Order, OrderEvent } from '../../client/index.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { until } from '../support/until.ts';
import { createServedApi } from './served-api.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const api = forWholeFile(createServedApi);

const connections = () => api.count('GET', '/orders/stream');

it('tell of each order once, over connections that are torn, and go on after any of them', async () => {
  const { client, order } = await api.payer('DE89370400440532013000');
  const place = async (index: number) => {
    const body = await order('1.00', new Date(Date.now() + index));
    const placed = await client.post('/orders', { body, idempotencyKey: crypto.randomUUID() });
    // As the common worker does.
    await dispatchEvents(api.ledger, 100);
    return (placed as Order).id;
  };

  const begun: ServerResponse[] = [];
  api.interfere(({ url }, response) => {
    if (url?.startsWith('/orders/stream')) begun.push(response);
  });
  const events = client.orderEvents();
  const told: OrderEvent[] = [];
  const placed: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    const next = events.next();
    // Without a place to go on it begins with what happens once it is there.
    await until('the stream has begun', async () => begun.some(({ headersSent }) => headersSent) || undefined);
    if (index === 2) api.tear();
    placed.push(await place(index));
    told.push((await next).value as OrderEvent);
  }
  await events.return();
  expect(told.map(({ type, data }) => [type, data.id])).toEqual(placed.map((id) => ['order.created', id]));
  expectTypeOf(told).toEqualTypeOf<OrderEvent[]>();
  expect(connections()).toBe(2);

  const again: string[] = [];
  for await (const { id, data } of client.orderEvents({ after: told[0]?.id, profile: api.partner.profile })) {
    again.push(id);
    expect(data.profile).toBe(api.partner.profile);
    if (again.length === 3) break;
  }
  expect(again).toEqual(told.slice(1).map(({ id }) => id));
});

it('end by their signal, and say what is wrong with the event after which they should go on', async () => {
  const events = api.client().orderEvents({ signal: AbortSignal.timeout(300) });
  await expect(events.next()).rejects.toMatchObject({ name: 'TimeoutError' });
  const lost = api.client().orderEvents({ after: crypto.randomUUID() });
  await expect(lost.next()).rejects.toMatchObject({ status: 400, errors: { after: expect.any(String) as string } });
});
