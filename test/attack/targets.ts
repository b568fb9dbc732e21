import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Address, parseEther } from 'viem';
import { environmentFile } from '../../src/cli/cli-settings.ts';
import { operatorKeys, readInstance } from '../../sandbox/instance.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { issueCode } from '../../src/ledger/access/authorization-codes.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { createLedger, inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import type { LowerAddress } from '../../src/platform/addresses.ts';
import { type Chain, chainIds } from '../../src/platform/chains.ts';
import { createPool } from '../../src/platform/database.ts';
import { loadSettings, type Settings } from '../../src/platform/settings.ts';
import { mailServer } from '../api/support/mails.ts';
import { createSandboxRun } from '../scenarios/sandbox-run.ts';
import { connectLocalChain, fundedAccount, type LocalChain } from '../support/chain/local-chain.ts';
import { createCustomer } from '../support/customer.ts';
import { deployedProcesses } from '../support/processes/deployed-process.ts';
import { processTree } from '../support/processes/process-tree.ts';
import type { TestLedger } from '../support/test-ledger.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { until } from '../support/until.ts';

/** A service that runs, whose processes are measured. */
export interface Target {
  name: 'sandbox' | 'production';
  apiUrl: string;
  /** Origin of the pages in browsers. */
  origin: string;
  /** Only in the sandbox. */
  consoleUrl?: string;
  readersUrl?: string;
  application: { clientId: string; clientSecret: string };
  /** To arrange what there is before somebody attacks, and to see what they have left. */
  ledger: Ledger;
  /** A public application, and an address that is linked on the chain and signs its user in. */
  wallet: { clientId: string; redirectUri: string; privacyPolicyUrl: string; termsUrl: string; address: LowerAddress; chain: Chain };
  /** Only in the sandbox. */
  network?: AttackedNetwork;
  /** Only in production: a partner's token, and a profile of its own that nobody has approved. */
  partner?: { token: string; profile: string };
  /** Only in production: a code of a public application that has been used, and the token of its user. */
  granted?: { clientId: string; redirectUri: string; code: string; token: string };
  /** Its processes that run now. */
  pids(): number[];
  stop(): Promise<void>;
}

/** A network, its token of euros, and the accounts that pay for what its lanes send. */
export interface AttackedNetwork {
  rpc: LocalChain;
  token: Address;
  operators: readonly Address[];
  settings: Settings;
}

/** An API in production mode with its default limits, and a private application. Its PostgreSQL is shared with other tests, and not measured. */
export async function startProduction({ ledger, url }: TestLedger): Promise<Target> {
  const port = await freePort();
  const processes = deployedProcesses();
  await processes.start('the API', ['api'], {
    MINTRAIL_ENVIRONMENT: 'production',
    BASE_URL: 'https://money.example',
    DATABASE_URL: url,
    PORT: String(port),
    SECRETS_KEY: testSecretsKey,
    GNOSIS_TOKENS: `eur:0x${'1'.repeat(40)}`,
    ...mailServer,
  });
  const owner = await createUser(ledger, { email: 'owner@money.example', name: 'Jane Owner', isVerified: true });
  const application = await inTransaction(ledger, async (tx) => {
    await createProfile(tx, { kind: 'personal', name: 'Jane Owner', state: 'approved', owner });
    return createApplication(tx, { kind: 'private', name: 'Honest', owner });
  });
  const apiUrl = `http://127.0.0.1:${port}`;
  return {
    name: 'production',
    apiUrl,
    origin: 'https://money.example',
    application: { clientId: application.id, clientSecret: application.secret },
    ledger,
    wallet: await linkWallet(ledger, 'gnosis'),
    partner: await makePartner(ledger, apiUrl, owner),
    granted: await grantAccess(ledger, apiUrl, owner),
    pids: () =>
      processTree(process.pid)
        .filter(({ command }) => / api *$/.test(command))
        .flatMap(({ pid }) => processTree(pid).map((below) => below.pid)),
    stop: () => processes.end(),
  };
}

async function makePartner(ledger: Ledger, apiUrl: string, owner: string) {
  const { id, secret } = await createApplication(ledger, { kind: 'whitelabel', name: 'Partner', owner });
  const profile = await inTransaction(ledger, (tx) =>
    createProfile(tx, { kind: 'personal', name: 'Jon', state: 'created', application: id }),
  );
  return { profile, token: await clientToken(apiUrl, id, secret) };
}

async function linkWallet(ledger: Ledger, chain: Chain): Promise<Target['wallet']> {
  const { user, address } = await createCustomer(ledger, chain);
  const urls = {
    redirectUri: 'https://wallets.example/callback',
    privacyPolicyUrl: 'https://wallets.example/privacy',
    termsUrl: 'https://wallets.example/terms',
  };
  const registered = { ...urls, redirectUris: [urls.redirectUri], owner: user, name: 'Wallets', kind: 'authorization_code' as const };
  const { id: clientId } = await createApplication(ledger, registered);
  return { ...urls, clientId, address, chain };
}

async function grantAccess(ledger: Ledger, apiUrl: string, user: string) {
  const redirectUri = 'https://shop.example/callback';
  const { id: clientId } = await createApplication(ledger, {
    kind: 'authorization_code',
    name: 'Shop',
    owner: user,
    redirectUris: [redirectUri],
  });
  const verifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
  const authorization = {
    user,
    application: clientId,
    permissions: ['read' as const],
    redirectUri,
    codeChallenge,
    proof: { method: 'password' as const, subject: 'owner@money.example' },
  };
  const code = await inTransaction(ledger, (tx) => issueCode(tx, authorization));
  const fields = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier, redirect_uri: redirectUri };
  return { clientId, redirectUri, code, token: await tokenFor(apiUrl, fields) };
}

/** A token of the API for an application that acts for itself. */
export const clientToken = (apiUrl: string, id: string, secret: string): Promise<string> =>
  tokenFor(apiUrl, { grant_type: 'client_credentials', client_id: id, client_secret: secret });

/** A token of the API, by what its token endpoint takes. */
async function tokenFor(apiUrl: string, fields: Record<string, string>): Promise<string> {
  const answer = await fetch(`${apiUrl}/auth/token`, { method: 'POST', body: new URLSearchParams(fields) });
  return ((await answer.json()) as { access_token: string }).access_token;
}

/** A sandbox with one network, its console, and readers of its indexed rows. */
export async function startSandbox(): Promise<Target> {
  const run = await createSandboxRun(['--chain', 'chiado'], { INDEXER_PORT: String(await freePort()) });
  const file = await run.start();
  const { console, chains } = JSON.parse(readFileSync(path.join(run.dataDir, 'sandbox.json'), 'utf8')) as {
    console: { url: string };
    chains: { chiado: { indexerUrl: string; rpcUrl: string; tokens: { eur: Address } } };
  };
  const { indexerUrl, rpcUrl, tokens } = chains.chiado;
  const rpc = connectLocalChain(rpcUrl, chainIds.chiado);
  // Who deploys contracts.
  await rpc.setBalance({ address: fundedAccount(0).address, value: parseEther('1000') });
  const environment = JSON.parse(readFileSync(path.join(run.dataDir, environmentFile), 'utf8')) as Record<string, string>;
  const settings = loadSettings(environment);
  const pool = createPool({ connectionString: settings.databaseUrl });
  const ledger = createLedger(pool, wakesNobody);
  await until('readers are served', async () => (await fetch(`${indexerUrl}/ready`).catch(() => undefined))?.ok || undefined);
  return {
    name: 'sandbox',
    apiUrl: file.apiUrl,
    origin: new URL(file.apiUrl).origin,
    consoleUrl: console.url,
    readersUrl: indexerUrl,
    application: file.applications.private,
    ledger,
    wallet: await linkWallet(ledger, 'chiado'),
    network: {
      rpc,
      token: tokens.eur,
      operators: operatorKeys(readInstance(run.dataDir)).map(({ address }) => address),
      settings,
    },
    // All of it is below the supervisor.
    pids: () => run.find(/main\.ts sandbox/).map(({ pid }) => pid),
    async stop() {
      await ledger.destroy();
      await run.stop();
      run.remove();
    },
  };
}
