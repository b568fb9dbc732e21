import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { createTestClient, http } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boards } from '../../scripts/boards/boards.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { metricsTargetsFile } from '../../sandbox/metrics-targets.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { type Client, createClient } from '../../client/index.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { freePortRange } from '../support/processes/free-port-range.ts';
import { hasPrometheus, startPrometheus, type TestPrometheus } from '../support/processes/prometheus.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhooks/receiver.ts';
import { until } from '../support/until.ts';
import { type Customer, onboard, pay, redeem } from './customers.ts';
import { signalAll } from '../support/processes/process-tree.ts';
import { createSandboxRun, type SandboxRun } from './sandbox-run.ts';

/** `npm run alerts`; `npm test` has the rules by promtool on what the metrics show (`test/deploy/`), and tests of each metric. */
const isAsked = process.env['ALERTS'] === 'all';

/** The processes of a sandbox with metrics: their ports follow each other. */
const processes = 4;

/** The sandbox's bank pays it at once. */
const payee = 'IS140159260076545510730339';

describe.runIf(isAsked && hasPrometheus)('a Prometheus that scrapes a sandbox', () => {
  let run: SandboxRun;
  let file: SandboxFile;
  let client: Client;
  let ledger: Ledger;
  let receiver: WebhookReceiver;
  let prometheus: TestPrometheus;
  let customer: Customer;

  beforeAll(async () => {
    run = await createSandboxRun(['--chain', 'chiado'], { METRICS_PORT: String(await freePortRange(processes)) });
    file = await run.start();
    prometheus = await startPrometheus(path.join(run.dataDir, metricsTargetsFile));
    client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
    const settings = cliSettings({ MINTRAIL_DATA_DIR: run.dataDir });
    ledger = createLedger(createPool({ ...statementConnection(settings), max: 2 }), wakesNobody);
    receiver = await startWebhookReceiver();
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    await client.post('/webhooks', { body: { url: receiver.url(), secret, types: ['order.created', 'order.updated'] } });
    customer = await onboard(client);
    await processed(await pay(client, customer, '50.00'));
    await processed(await redeem(client, customer, '10.00', payee));
  });

  afterAll(async () => {
    await prometheus?.close();
    await ledger?.destroy();
    await receiver?.close();
    await run?.stop();
    run?.remove();
  });

  it('raises no alert while nothing is wrong, and answers every panel of the boards with data', async () => {
    const startedAt = Date.now() / 1_000;
    const panels = boards.flatMap(({ rows }) => rows.flatMap(([, all]) => all));
    const queries = panels.flatMap(({ title, queries: all }) =>
      all.map(([expr]) => ({ title, expr: expr.replaceAll('$__rate_interval', '1m') })),
    );
    await until('every panel has data', async () => {
      for (const { expr } of queries) if ((await prometheus.query(expr)).length === 0) return undefined;
      return true;
    }).catch(async () => {
      const empty = [];
      for (const query of queries) if ((await prometheus.query(query.expr)).length === 0) empty.push(query);
      expect(empty).toEqual([]);
    });
    // A scrape may take a second here, not ten: on a busy machine one fails now and then.
    await until('every process was scraped', async () => (await prometheus.query('up == 0')).length === 0 || undefined);
    // What was read while the indexers were starting is over with the next reading.
    const reading = `mintrail_problems_read_timestamp_seconds > ${startedAt}`;
    await until('the problems are read', async () => (await prometheus.query(reading)).length > 0 || undefined);
    await fires();
  });

  it('raises the alert of a stuck leg while its outcome is not indexed, and ends it', async () => {
    const ponder = run.find(/ponder-program\.ts .* --schema idx_chiado/);
    signalAll(ponder, 'SIGSTOP');
    const order = await pay(client, customer, '1.00');
    await sql`update open_legs set due_at = now() - interval '1 hour' where order_id = ${order}`.execute(ledger);
    await fires('MintrailLegsOverdue');
    signalAll(ponder, 'SIGCONT');
    await processed(order);
    await fires();
  });

  it('raises the alert of each fault, and no other', async () => {
    receiver.answerWith(500);
    await processed(await pay(client, customer, '1.00'));
    await until('a delivery waits', async () => {
      const { numAffectedRows = 0n } =
        await sql`update webhook_deliveries set created_at = now() - interval '2 minutes' where state = 'pending'`.execute(ledger);
      return numAffectedRows > 0n || undefined;
    });
    await fires('MintrailSubscriberFailing');

    // Somebody changes the database.
    await sql`insert into balance_changes (account, currency, booked_on, debited, credited) values
      ('liabilities:suspense', 'usd', now(), 0, 900), ('equity:operator', 'usd', now(), 900, 0)`.execute(ledger);
    await fires('MintrailBreachStates', 'MintrailSubscriberFailing');

    const chain = createTestClient({ mode: 'anvil', transport: http(file.chains['chiado']?.rpcUrl) });
    for (const { metric } of await prometheus.query('mintrail_lane_nonce_gaps{chain="chiado"}'))
      await chain.setBalance({ address: metric['signer'] as `0x${string}`, value: 0n });
    await pay(client, customer, '1.00');
    await fires('MintrailBreachStates', 'MintrailGasMoney', 'MintrailSubscriberFailing');

    signalAll(run.find(/main\.ts indexer/), 'SIGSTOP');
    await fires('MintrailBreachStates', 'MintrailGasMoney', 'MintrailSubscriberFailing', 'MintrailWorkerSilent');
    signalAll(run.find(/main\.ts indexer/), 'SIGCONT');
  });

  /** Waits until exactly these alerts fire. */
  async function fires(...expected: string[]): Promise<void> {
    let last: string[] = [];
    await until(`exactly ${expected.join(', ') || 'no alert'} fires`, async () => {
      last = await prometheus.firing();
      return last.join() === expected.toSorted().join() || undefined;
    }).catch((error: unknown) => {
      throw new Error(`${String(error)}; last: ${last.join(', ')}\n${run.logTails()}`);
    });
  }

  async function processed(order: string): Promise<void> {
    await until('the order is processed', async () => {
      const { state } = await client.get('/orders/{orderId}', { path: { orderId: order } });
      return state === 'processed' || undefined;
    });
  }
});
