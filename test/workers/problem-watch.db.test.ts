import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { createLog } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import type { Loop } from '../../src/platform/loop.ts';
import { startProblemWatch } from '../../src/workers/problem-watch.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { until } from '../support/until.ts';

let world: PaymentsLedger;
let watch: Loop;
let registry: Registry;
let lines: string[];

beforeEach(async () => {
  world = await createPaymentsLedger();
  registry = new Registry();
  lines = [];
  const log = Object.assign(Object.create(createLog('silent')), {
    error: (facts: { problem: string }) => lines.push(`begins: ${facts.problem}`),
    info: (facts: { problem: string }) => lines.push(`ends: ${facts.problem}`),
  });
  const alarms = [{ kind: 'gas_money', subject: '0x1 gas', text: '0x1 holds 0 wei', since: '2026-05-06T02:00:00.000Z' }];
  for (const component of ['worker', 'indexer'] as const)
    await recordHeartbeat(world.ledger, { component, chain: 'chiado', instance: '', facts: { ok: true, alarms } });
  for (const component of ['common', 'api'] as const)
    await recordHeartbeat(world.ledger, { component, chain: '', instance: '', facts: { ok: true } });
  // However long the test takes, no process becomes silent.
  await sql`update heartbeats set seen_at = now() + interval '1 day'`.execute(world.ledger);
  const settings = loadSettings({ DATABASE_URL: world.url, CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` });
  watch = startProblemWatch({ settings, ledger: world.ledger, log, registry });
});
afterEach(async () => {
  await watch.close();
  await world.close();
});

/** Waits for a line that begins so. */
const shows = (line: string) =>
  until(`the metrics show ${line}`, async () => {
    watch.wake();
    return (await registry.metrics()).split('\n').some((shown) => shown.startsWith(line)) || undefined;
  });

it('shows problems as metrics, every kind of every network, and writes a line when one begins and one when it ends', async () => {
  await shows('mintrail_problems{chain="chiado",kind="legs_overdue",severity="stops money"} 0');
  await shows('mintrail_problems{chain="chiado",kind="gas_money",severity="stops money"} 1');
  await shows('mintrail_open_leg_oldest_seconds{chain="chiado",kind="issue"} 0');
  await issueCredits(world.ledger, [creditTo(world.customer.iban, 1n)]);
  await sql`update open_legs set due_at = now() - interval '1 day'`.execute(world.ledger);
  await shows('mintrail_problems{chain="chiado",kind="legs_overdue",severity="stops money"} 1');
  await shows('mintrail_open_leg_oldest_seconds{chain="chiado",kind="issue"} 86');
  await until('it is logged', async () => {
    watch.wake();
    return lines.length > 0 || undefined;
  });
  await sql`update open_legs set due_at = now()`.execute(world.ledger);
  await shows('mintrail_problems{chain="chiado",kind="legs_overdue",severity="stops money"} 0');
  expect(lines).toEqual(['begins: legs_overdue', 'ends: legs_overdue']);
});
