import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { subscriptionHealth } from '../../src/ledger/webhooks/delivery-queries.ts';
import { replayDeliveries } from '../../src/ledger/webhooks/replay.ts';
import { judgeProblems } from '../../src/problems/problem.ts';
import { subscriberProblems } from '../../src/problems/subscriber-problems.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { createWebhookLedger } from '../support/webhooks/webhook-ledger.ts';

const world = forWholeFile(createWebhookLedger);
beforeEach(() => world.clear());

/** Deliveries that are tried in vain, or were given up, since so many hours. */
async function failFor(subscription: string, hours: readonly number[], state: 'pending' | 'failed' = 'pending') {
  const ages = sql`unnest(${hours}::float8[]) h (hours)`;
  const endedAt = state === 'failed' ? sql`now() - make_interval(secs => hours * 3600)` : sql`null`;
  await sql`
    insert into webhook_deliveries (subscription, event, type, subject, sequence, state, last_error, created_at, age_begins_at, ended_at)
    select ${subscription}, gen_random_uuid(), 'order.updated', gen_random_uuid(), 1, ${state}, 'answered 500', now() - make_interval(secs => hours * 3600), now() - make_interval(secs => hours * 3600), ${endedAt}
    from ${ages}`.execute(world.ledger);
}

const subscribe = (application: string, name: string) => world.subscribe(`https://${name}.example.com`, { application });
const newApplication = async () =>
  (await createApplication(world.ledger, { kind: 'whitelabel', name: randomUUID(), owner: world.manager })).id;

async function judged() {
  const now = new Date();
  return judgeProblems(subscriberProblems(await subscriptionHealth(world.ledger), now), now, { reviewDays: 1 });
}

it("all that fails of an application is one problem, as old as what failed first, and hides nobody else's", async () => {
  const { application } = await world.privateOwner();
  for (let index = 0; index < 20; index += 1) await failFor(await subscribe(application, `noise-${index}`), [1]);
  await failFor(await subscribe(world.partner, 'partner'), [5 * 24]);
  const [oldest, noise, ...others] = await judged();
  expect(oldest).toMatchObject({ subject: world.partner, overdue: true });
  expect(oldest?.text).toContain('https://partner.example.com does not take its events (answered 500): 1 wait');
  expect(noise).toMatchObject({ subject: application, overdue: false });
  expect(noise?.text).toContain('so do 19 other receivers of this application');
  expect(others).toEqual([]);
});

it('of more applications than are named, the rest is counted, and is overdue when it is', async () => {
  for (let index = 0; index < 22; index += 1) await failFor(await subscribe(await newApplication(), `of-${index}`), [5 * 24]);
  const problems = await judged();
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toMatchObject({ subject: 'others', overdue: true });
  expect(problems.at(-1)?.text).toContain('receivers of 2 other applications do not take their events');
});

it('what was given up waits since the first of it, however much was given up since, and is overdue on Monday when that was on Friday', async () => {
  const subscription = await subscribe(world.partner, 'busy');
  await failFor(subscription, [74], 'failed');
  await failFor(
    subscription,
    Array.from({ length: 1_100 }, (_, index) => index / 1_000),
    'failed',
  );
  const [health] = await subscriptionHealth(world.ledger);
  expect(health?.failed).toBe(1_001);
  expect(await judged()).toMatchObject([{ overdue: true }]);
});

it('what nobody has tried to send, such as after a replay of old events while no worker runs, is not the fault of a receiver', async () => {
  const subscription = await subscribe(world.partner, 'replayed');
  await failFor(subscription, [5 * 24], 'failed');
  await failFor(subscription, [5 * 24]);
  expect(await judged()).toMatchObject([{ overdue: true }]);
  expect(await replayDeliveries(world.ledger, { subscription, state: 'failed' }, 10)).toHaveLength(1);
  expect(await replayDeliveries(world.ledger, { subscription, state: 'pending' }, 10)).toHaveLength(0);
  await sql`update webhook_deliveries set attempts = 1`.execute(world.ledger);
  expect(await replayDeliveries(world.ledger, { subscription, state: 'pending' }, 10)).toHaveLength(2);
  expect(await judged()).toEqual([]);
});
