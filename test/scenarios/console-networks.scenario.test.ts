import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { createSubscription } from '../../src/ledger/webhooks/subscriptions.ts';
import { administrators, type AdministeredChain, startAdministeredChain } from '../support/chain/administered-token.ts';
import { hasChromium } from '../support/chromium/chromium.ts';
import { testSealer } from '../support/test-sealer.ts';
import { newSecret } from '../support/webhooks/webhook-ledger.ts';
import { createConsolePages } from '../console/support/console-pages.ts';
import { looksRight } from '../console/support/look-right.ts';
import { addTestWallet, type TestWallet } from './test-wallet.ts';

const hostile = `<img src=x onerror="window.wasHacked=1">"'><script>window.wasHacked=1</script>`;

const { owners, operator, payer } = administrators;

describe.skipIf(!hasChromium)('networks and webhooks in a browser', () => {
  let net: AdministeredChain;
  let token: Hex;
  let console: Awaited<ReturnType<typeof createConsolePages>>;
  let page: Page;
  let url: string;
  let complaints: string[];
  const wallet: TestWallet = { account: owners[0], chainId: '0x1' };

  beforeAll(async () => {
    net = await startAdministeredChain();
    token = await net.deploy();
    const env = {
      GNOSIS_RPC_URLS: `${net.anvil.url},http://127.0.0.1:9`,
      GNOSIS_TOKENS: `eur:${token}`,
      GNOSIS_CONFIRMATIONS: '0',
      GNOSIS_GENESIS: 'test',
    };
    console = await createConsolePages({ env });
    url = console.url;
    await fillLedger();
    ({ page, complaints } = await console.openAs('administrator', '/'));
    await addTestWallet(page, net.chain, wallet);
  });
  afterAll(async () => {
    await console?.close();
    await net?.anvil.stop();
  });

  async function fillLedger(): Promise<void> {
    const { ledger } = console;
    const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
    const { id: application } = await createApplication(ledger, { kind: 'whitelabel', name: hostile, owner });
    const profile = await createProfile(ledger, { kind: 'personal', name: hostile, state: 'approved', application });
    const target = { url: 'https://shop.example/hooks/mintrail', secret: newSecret(), types: ['profile.updated' as const] };
    await createSubscription(ledger, testSealer, application, target);
    const data = JSON.stringify({ id: profile, kind: 'personal', name: hostile, state: 'approved' });
    for (let count = 0; count < 3; count += 1)
      await sql`insert into events (type, profile, subject, data) values ('profile.updated', ${profile}, ${profile}, ${data}::jsonb)`.execute(
        ledger,
      );
    await dispatchEvents(ledger, 10);
    const history = JSON.stringify([{ at: new Date().toISOString(), status: 503, error: 'answered 503', duration: 7 }]);
    await sql`update webhook_deliveries set state = 'failed', attempts = 1, ended_at = now(), last_status = 503, last_error = 'answered 503',
      history = ${history}::jsonb`.execute(ledger);
  }

  /** The processes of the network report what they see, as they do every two seconds. */
  async function reportNetwork(): Promise<void> {
    const { ledger } = console;
    const lanes = [{ signer: operator.address.toLowerCase(), held: true, inFlight: 0, outage: null }];
    const text = `the lane of ${operator.address} does not send issue eur: the token is paused. See \`mintrail token show --chain NAME\``;
    const alarms = [{ kind: 'lane_parked', subject: `${operator.address} issue eur`, text, since: new Date().toISOString() }];
    const beat = { chain: 'gnosis', instance: randomUUID() } as const;
    await recordHeartbeat(ledger, { ...beat, component: 'worker', facts: { ok: true, head: '1234567', outage: null, lanes, alarms } });
    await recordHeartbeat(ledger, { ...beat, component: 'indexer', facts: { ok: true, ready: true, block: '1234565', head: '1234567' } });
  }

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const sees = (text: string | RegExp) => page.getByText(text).first().waitFor();

  async function look(name: string): Promise<void> {
    await looksRight(page, name);
    expect(await page.evaluate('window.wasHacked')).toBeUndefined();
  }

  it('shows deliveries with their bodies, and replays one and all that failed', async () => {
    await page.goto(`${url}/webhooks`);
    await sees('Deliveries · 3');
    await sees(hostile);
    await look('webhooks');
    await page.getByRole('row').filter({ hasText: 'answered 503' }).last().click();
    await sees('webhook-id');
    await sees('"type": "profile.updated"');
    await look('delivery');
    await press('Replay');
    await press('Continue');
    await sees(/Send the event profile\.updated/);
    await page.getByRole('dialog').getByRole('button', { name: 'Replay', exact: true }).click();
    await sees('Replay: done.');
    await page.goto(`${url}/webhooks`);
    await press('Replay failed');
    await press('Continue');
    await page.getByRole('dialog').getByRole('button', { name: 'Replay failed', exact: true }).click();
    await sees('2 deliveries are sent again.');
  });

  it('shows a network with its endpoints, its signer and why a lane is parked', async () => {
    await reportNetwork();
    await page.goto(`${url}/networks`);
    await sees('The token refuses what a lane sends');
    await sees('1 000.50');
    await sees('Nothing waits for the owners of a Safe.');
    await sees('127.0.0.1:9');
    await look('networks');
  });

  it('prepares a change, has two owners sign it with a browser wallet, and executes it', async () => {
    await press('Prepare a change');
    await page.getByLabel('Operator').fill(operator.address);
    await page.getByLabel('May issue, in whole units').fill('5000000.00');
    await page.getByLabel('May issue in a day of UTC').fill('1000000');
    await page.getByLabel('Reason').fill(hostile);
    await look('prepare');
    await press('Continue');
    await sees(/Prepare transaction 0 of the Safe/);
    await page.getByRole('dialog').getByRole('button', { name: 'Prepare a change', exact: true }).click();
    await page.getByRole('link', { name: 'Look at it and sign' }).click();
    await sees('the Safe computes the same hash of this transaction');
    await press('Connect Test Wallet');
    await look('safe-transaction');
    await press('Sign with the wallet');
    await sees(/1 of the 2 needed/);
    expect(wallet.chainId).toBe('0x64');
    wallet.account = owners[1];
    await press('Change');
    await press('Connect Test Wallet');
    await press('Sign with the wallet');
    await sees(/2 of the 2 needed/);
    wallet.account = payer;
    await press('Change');
    await press('Connect Test Wallet');
    await sees('This account is no owner of the Safe');
    await press('Execute with the wallet');
    await sees('Executed.');
    await look('executed');
    expect(await net.ask(token, 'mintAllowance', [operator.address])).toBe(5_000_000n * 10n ** 18n);
    expect(complaints).toEqual([]);
  });
});
