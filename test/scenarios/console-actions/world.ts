import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { encodeFunctionData, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { cliSettings } from '../../../src/cli/cli-settings.ts';
import type { SandboxFile } from '../../../src/cli/running-sandbox.ts';
import { type Client, createClient } from '../../../client/index.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { statementConnection } from '../../../src/platform/postgres/connections.ts';
import type { EntrySpec } from '../../bank/iso20022/camt/statement-xml.ts';
import { connectLocalChain, transact } from '../../support/chain/local-chain.ts';
import { launchChromium } from '../../support/chromium/chromium.ts';
import { mintrail } from '../../support/processes/mintrail.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/webhooks/receiver.ts';
import { acceptInvitation, type Asked, type Person } from '../console-person.ts';
import { onboard } from '../customers.ts';
import { openMasterAccount } from '../master-account.ts';
import type { SandboxRun } from '../sandbox-run.ts';

/** What a payer, a partner or a customer may write where a person reads it. */
export const hostile = `"'><img src=x onerror="document.title='stolen'"></script><script>document.title='stolen'</script>`;

export const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** An IBAN that no customer has. */
export const nobody = 'NL56AGDH9619008421';

/** A whole sandbox with its console, two administrators in a browser each, and two customers. */
export type ConsoleWorld = Awaited<ReturnType<typeof createConsoleWorld>>;

/** A sandbox that runs, with a second person for what moves money or grants power. */
export interface ConsoleSandbox extends Pick<SandboxRun, 'dataDir' | 'find'> {
  file: SandboxFile;
}

/** Brings two administrators and two customers to it. */
export async function createConsoleWorld(run: ConsoleSandbox) {
  const { file } = run;
  const ledger = createLedger(createPool({ ...statementConnection(cliSettings({ MINTRAIL_DATA_DIR: run.dataDir })), max: 2 }), wakesNobody);
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
  const [browser, receiver] = await Promise.all([launchChromium(), startWebhookReceiver()]);
  const [asker, approver] = [
    await acceptInvitation(browser, await operator(run, 'add', 'asta', '--role', 'administrator')),
    await acceptInvitation(browser, await operator(run, 'add', 'bjorn', '--role', 'administrator')),
  ];
  const [anna, bert] = await Promise.all([onboard(client), onboard(client)]);
  const world = { run, file, ledger, client, browser, receiver, anna, bert, asker: asker.person, approver: approver.person };
  return {
    ...world,
    account: openMasterAccount(),
    /** Orders that one exercise leaves to the next. */
    orders: { rejected: '' },
    ...onChain(run),
    recoveryCodes: asker.codes,
    operator: (verb: 'add' | 'disable', ...args: string[]) => operator(run, verb, ...args),
    ...inLedger(ledger, client),
    ...inConsole(asker.person, approver.person),
    async close() {
      await browser.close();
      await receiver.close();
      await ledger.destroy();
    },
  };
}

/** `mintrail operator`, by the administrator of the machine. Returns the first line that it prints. */
async function operator(run: ConsoleSandbox, verb: 'add' | 'disable', ...args: string[]): Promise<string> {
  const alone = verb === 'add' ? ['--alone', 'Nobody is there yet who could approve it'] : [];
  const { code, stdout, stderr } = await mintrail(['operator', verb, ...args, ...alone, '--yes'], { MINTRAIL_DATA_DIR: run.dataDir });
  if (code !== 0) throw new Error(stderr);
  return stdout.split('\n')[0] ?? '';
}

/** What an action has done, by the API and in the ledger. */
function inLedger(ledger: Ledger, client: Client) {
  const credit = (reference: string) =>
    ledger.selectFrom('credits').where('reference', 'like', `%${reference}`).select(['reference', 'state', 'orderId']).executeTakeFirst();
  return {
    profileState: async (profile: string): Promise<string> => {
      return (await client.get('/profiles/{profile}', { path: { profile } })).state;
    },
    reaches: (orderId: string, state: string) =>
      until(
        `the order is ${state}`,
        async () => (await client.get('/orders/{orderId}', { path: { orderId } })).state === state || undefined,
      ),
    /** The order that the credit with this reference of the bank became. */
    orderOf: (reference: string) => until(`${reference} is an order`, async () => (await credit(reference))?.orderId ?? undefined),
    creditState: async (reference: string) => (await credit(reference))?.state,
  };
}

/** What the account does that administers the tokens. */
function onChain({ dataDir, file }: ConsoleSandbox) {
  const from = privateKeyToAccount(readFileSync(path.join(dataDir, 'admin.key'), 'utf8').trim() as Hex);
  /** Sends a call of a token's function by the admin. */
  const administer = async (chain: string, currency: string, data: Hex) => {
    const { rpcUrl = '', chainId, tokens = {} } = file.chains[chain] ?? {};
    await transact(connectLocalChain(rpcUrl, chainId), { from, to: tokens[currency] as Hex, data });
  };
  const call = async (functionName: 'blockAccount' | 'unblockAccount', address: Hex) =>
    administer('chiado', 'eur', encodeFunctionData({ abi: eMoneyTokenAbi, functionName, args: [address] }));
  return {
    admin: from.address,
    administer,
    /** Neither sends nor receives euro on chiado any more. */
    block: async (address: Hex) => call('blockAccount', address),
    unblock: async (address: Hex) => call('unblockAccount', address),
  };
}

/** How the two work together. */
function inConsole(asker: Person, approver: Person) {
  return {
    /** One asks, the other approves. Returns the text of what came of it. */
    byTwo: async (asked: Asked): Promise<string> => {
      const { sentence, outcome } = await asker.ask(asked);
      expect(outcome).toContain('It waits for a second person.');
      return approver.approve(sentence);
    },
    /** It takes no second person. Returns the text of what came of it. */
    byOne: async (asked: Asked): Promise<string> => {
      const { outcome } = await asker.ask(asked);
      expect(outcome).toContain(': done.');
      return outcome;
    },
    /** One uploads a file of the bank, the other approves that it is imported. */
    upload: async (xml: string): Promise<void> => {
      await asker.open('/bank/files');
      await asker.button('Upload a file').click();
      const dialog = asker.page.getByRole('dialog');
      const buffer = Buffer.from(xml);
      await dialog.getByLabel('File', { exact: true }).setInputFiles({ name: `${hostile}.xml`, mimeType: 'text/xml', buffer });
      const answered = asker.page.waitForResponse(/\/api\/bank\/files\?/);
      await asker.button('Upload', dialog).click();
      await dialog.getByText('A second person has to approve this.').waitFor();
      const { approval } = (await (await answered).json()) as { approval: string };
      const { json } = await asker.send('GET', `/api/approvals/${approval}`);
      await approver.approve(json['description'] as string);
    },
    /** The card of the unmatched credit with this reference. */
    card: async (reference: string): Promise<Locator> => {
      await asker.open('/bank');
      return asker.page.getByRole('region').filter({ hasText: reference }).first();
    },
  };
}

/** A credit to an IBAN as a statement has it. */
export function creditEntry(
  reference: string,
  amount: string,
  creditorIban: string,
  { name, ...refs }: { name?: string; EndToEndId?: string; UETR?: string } = {},
): EntrySpec {
  const from = { ...payer, ...(name !== undefined && { name }) };
  return { amount, reference, transactions: [{ amount, refs, payer: from, creditorIban, ustrd: [hostile] }] };
}

/** A debit as a statement has it; a reversal takes the entry of the same reference back. */
export function debitEntry(reference: string, amount: string, more: EntrySpec = {}): EntrySpec {
  return { amount, reference, direction: 'DBIT', ...more };
}
