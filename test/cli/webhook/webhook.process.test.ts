import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordAttempt } from '../../../src/ledger/webhooks/attempts.ts';
import { claimDeliveries } from '../../../src/ledger/webhooks/claims.ts';
import { dispatchEvents } from '../../../src/ledger/webhooks/dispatch.ts';
import { pauseSubscription } from '../../../src/ledger/webhooks/receiver-pause.ts';
import { createDeliverer } from '../../../src/webhooks/deliverer.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { until } from '../../support/until.ts';
import { createWebhookLedger, newSecret, type WebhookLedger } from '../../support/webhooks/webhook-ledger.ts';
import { testSealer } from '../../support/test-sealer.ts';

describe('mintrail webhook', () => {
  let world: WebhookLedger;
  let subscription: string;
  let events: string[];
  const order = randomUUID();
  const run = (...args: string[]) => mintrail(args, { DATABASE_URL: world.database.url });

  beforeAll(async () => {
    world = await createWebhookLedger();
    subscription = await world.subscribe('https://shop.example/hooks/s3cret-path');
    events = [await world.orderEvent(order), await world.orderEvent(randomUUID())];
    await dispatchEvents(world.ledger, 10);
    const { claimed } = await claimDeliveries(world.ledger, testSealer, {
      limit: 1,
      failingLimit: 1,
      slots: [],
      otherSlots: 1,
      leaseSeconds: 60,
    });
    const [claim] = claimed;
    if (claim)
      await recordAttempt(world.ledger, claim, { at: new Date().toISOString(), status: 503, error: 'answered 503', duration: 5 }, 'failed');
  });
  afterAll(() => world.close());

  it('lists subscriptions with what waits and what was given up, and no secret of their URL', async () => {
    const { code, stdout } = await run('webhook');
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`${subscription} .*https://shop\\.example .*active +1, oldest \\d+ s +1 +answered 503`));
    expect(stdout).not.toContain('s3cret');
  });

  it('status shows a subscription to which deliveries were given up, which makes the service no less well', async () => {
    for (const component of ['common', 'api'])
      await world.ledger.insertInto('heartbeats').values({ component, version: '0.1.0', facts: '{"ok":true}' }).execute();
    const { code, stdout, stderr } = await run('status');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('Webhooks that their receivers do not accept');
    expect(stdout).toContain(subscription);
  });

  it('lists deliveries, as a table or with the history of attempts', async () => {
    await pauseSubscription(world.ledger, subscription, { url: 'https://shop.example/hooks/s3cret-path', seconds: 3_600 });
    expect((await run('webhook', 'deliveries', '--limit', '1')).stdout).toMatch(
      /order\.updated .* pending, next 20.*, its receiver asked for a pause .*\n\n1 of 2: --limit shows more\.\n$/,
    );
    const { stdout: ofStates } = await run('webhook', 'deliveries', '--state', 'failed', 'pending', '--limit', '1');
    expect(ofStates).toMatch(/\n\n1 of 2: --limit shows more\.\n$/);
    const { stdout } = await run('webhook', 'deliveries', '--state', 'failed', '--subject', order, '--json');
    const { deliveries } = JSON.parse(stdout) as { deliveries: unknown[] };
    expect(deliveries).toEqual([expect.objectContaining({ event: events[0], history: [expect.objectContaining({ status: 503 })] })]);
  });

  it('replays what was given up, says when nothing fits, and both are the operator’s doing', async () => {
    const ofSubscription = ['webhook', 'replay', '--subscription', subscription, '--since', '1h', '--yes'];
    expect(await run(...ofSubscription)).toEqual({ code: 0, stdout: '1 delivery is sent again.\n', stderr: '' });
    expect(await run(...ofSubscription)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Nothing is sent again') as string,
    });
    const [first] = await world.deliveries();
    const [known, unknown] = [first?.id as string, randomUUID()];
    const refused = await run('webhook', 'replay', known, unknown, '--yes', '--json');
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(`there is no delivery ${unknown}`);
    const { code, stdout } = await run('webhook', 'replay', known.toUpperCase(), '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, { replayed: [known], hasMore: false }]);
    expect((await run('webhook', 'replay', '--yes')).stderr).toContain('must name deliveries, or a subscription');
    expect((await run('audit', '--subject', first?.id as string)).stdout).toMatch(/operator .*webhook\.replay .*event=/);
  });
});

describe('mintrail webhook listen', () => {
  const program = fileURLToPath(new URL('../../../src/cli/mintrail.mjs', import.meta.url));

  it('verifies what comes, prints a line for each, fails the first as it is told, and says how to subscribe', async () => {
    const secret = newSecret();
    const child = spawn(process.execPath, [program, 'webhook', 'listen', '--secret', secret, '--fail-first', '1'], {
      env: { PATH: process.env['PATH'], MINTRAIL_DATA_DIR: '/nonexistent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const url = await until('it listens', async () => (output.includes("-d '{") ? /Listening on (\S+),/.exec(output)?.[1] : undefined));
    expect(output).toContain(JSON.stringify({ url, secret }).slice(1, -1));
    const deliver = createDeliverer({ environment: 'sandbox' });
    const data = { id: randomUUID(), state: 'processed', amount: '80.00', currency: 'eur', meta: {} };
    const delivery = { url, id: randomUUID(), body: JSON.stringify({ type: 'order.updated', timestamp: new Date().toISOString(), data }) };
    expect((await deliver({ ...delivery, secrets: [secret] })).status).toBe(500);
    expect((await deliver({ ...delivery, secrets: [secret] })).status).toBe(200);
    expect((await deliver({ ...delivery, secrets: [newSecret()] })).status).toBe(401);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(output).toMatch(new RegExp(`order\\.updated +${delivery.id}  ${data.id}  processed  80\\.00 eur  \\(answered 500\\)\n`));
    expect(output).toMatch(/80\.00 eur\n/);
    expect(output).toContain('answered 401: No signature of the event was made with a secret of the subscription');
  });

  it.each([
    [['--subscribe'], 1, 'No sandbox runs'],
    [['--subscribe', 'order.paid'], 1, 'event types are'],
    [['--secret', 'whsec_short'], 2, 'the base64 of 24 to 64 bytes'],
  ])('ends for %j with %i and says what is wrong', async (args, code, text) => {
    const ended = await mintrail(['webhook', 'listen', ...args]);
    expect(ended.stderr).toContain(text);
    expect(ended.code).toBe(code);
  });
});
