import { randomBytes } from 'node:crypto';
import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { type Chain, chainIds, swapChain } from '../src/platform/chains.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { inspectChain } from '../src/chain/deploy/local-chain.ts';
import { defaultProfileOfOwner } from '../src/ledger/access/users.ts';
import { migrateLedger } from '../src/schema/migrate.ts';
import { listHeartbeats } from '../src/ledger/lanes/heartbeats.ts';
import { createLedger, type Ledger } from '../src/ledger/ledger.ts';
import { wakesNobody } from '../src/ledger/wake-ups.ts';
import { createPool } from '../src/platform/database.ts';
import { RetryError, StopError } from '../src/platform/errors.ts';
import { freePort } from '../src/platform/process/free-port.ts';
import { migrateQueue } from '../src/platform/queue/backend.ts';
import type { Running } from '../src/platform/loop.ts';
import { environmentFile } from '../src/cli/cli-settings.ts';
import { renderBanner } from './banner.ts';
import { makeReaderRole } from '../src/indexed/reader-role.ts';
import { fourEyesOf, sandboxVariables, withoutNetworks } from './environment.ts';
import { chainsOf, firstBlockOf, freshChains, type Instance, loadInstance, saveInstance, writeAdminKey, writePrivate } from './instance.ts';
import { openForks } from './fork/open-forks.ts';
import type { Forks } from './fork/plan-forks.ts';
import { watchUpstreams } from './fork/watch-upstreams.ts';
import { stockMakerUntilDone } from './stock-maker.ts';
import { checkConsistency, inconsistent } from './consistency.ts';
import { prepareNetwork } from './networks.ts';
import { type Infrastructure, type SandboxProcesses, type ProcessesOptions, createSandboxProcesses } from './processes.ts';
import { writeSandboxFile } from './sandbox-file.ts';
import { seedLedger, seedMaker } from './seed.ts';
import { createProgressWatch, listNotRunning } from './start-progress.ts';

/** What a sandbox is started with; `port` is that of the API. */
export interface SandboxOptions extends ProcessesOptions {
  port: number;
  /** Port of the console, unless it is taken: then any that is free. */
  consolePort: number;
  /** What it forks; see `planForks`. */
  forks: Forks;
  /** The chains that begin empty; undefined for the usual ones. Fixed at the first start. */
  freshChains: readonly Chain[] | undefined;
  /** Aborted when the user stops the sandbox. */
  stop: AbortSignal;
}

/** A first start takes half of this on a very busy machine. It begins anew whenever an indexer gets further in reading the past. */
const readyTimeoutMs = 300_000;

/** Indexers report every two seconds how far they are. */
const progressIntervalMs = 2_000;

/** A sandbox that was just stopped may still hold the port. */
const portTimeoutMs = 5_000;

/** Starts the whole service. When that fails or is stopped, everything is closed again before it throws. */
export async function runSandbox(options: SandboxOptions): Promise<Running> {
  const processes = createSandboxProcesses(options);
  const stopped = new Promise<never>((_, reject) =>
    options.stop.addEventListener('abort', () => reject(new RetryError({ code: 'interrupted', message: 'Stopped' })), { once: true }),
  );
  try {
    await Promise.race([start(options, processes), stopped, processes.failed]);
    return processes;
  } catch (error) {
    await processes.close();
    throw error;
  }
}

async function start(options: SandboxOptions, processes: SandboxProcesses): Promise<void> {
  const startedAt = performance.now();
  const { dataDir, port, terminal } = options;
  await requirePort(port);
  const instance = loadInstance(dataDir);
  instance.forks = options.forks;
  if (isFirstStart(instance)) instance.fresh = options.freshChains ?? freshChains;
  saveInstance(dataDir, instance);
  const chains = chainsOf(instance);
  const infrastructure = await terminal.step(`Starting PostgreSQL and the local chains ${chains.join(', ')}`, () =>
    processes.startInfrastructure(instance),
  );
  const { databaseUrl, poolerUrl, rpcUrls, sources } = infrastructure;
  const profile = await terminal.step('Preparing tables, token contracts and demo data', () => prepare(options, instance, infrastructure));
  const consolePort = await freePort(options.consolePort);
  const consoleLink = randomBytes(32).toString('base64url');
  const variables = {
    ...sandboxVariables(instance, { ...options, databaseUrl, poolerUrl, rpcUrls, sourceUrls: sources.urls, consolePort, consoleLink }),
    INDEXER_READER_URL: await makeReaderRole(databaseUrl),
    ...fourEyesOf(process.env),
  };
  writePrivate(path.join(dataDir, environmentFile), variables);
  writeAdminKey(dataDir, instance);
  const apiUrl = `http://localhost:${port}`;
  const consoleUrl = `http://localhost:${consolePort}`;
  const console = { url: consoleUrl, link: `${consoleUrl}/sign-in/link#${consoleLink}` };
  await terminal.step('Starting API, workers and indexers', async () => {
    // They load most modules of this process, too. Node would store its compiled code when it ends, too late for a first start.
    flushCompileCache();
    processes.startServices(chains, { ...withoutNetworks(process.env), ...variables });
    processes.closeWith(watchUpstreams({ databaseUrl, upstreams: sources.upstreams, warn: terminal.warn }));
    await waitUntilReady(apiUrl, databaseUrl, chains);
  });
  writeSandboxFile(dataDir, instance, { apiUrl, console, profile, rpcUrls });
  const sandboxFile = path.relative(process.cwd(), path.join(dataDir, 'sandbox.json'));
  terminal.print(
    renderBanner(instance, { apiUrl, consoleLink: console.link, rpcUrls, sandboxFile, seconds: (performance.now() - startedAt) / 1000 }),
  );
  // Runs on: until the maker has tokens, quotes can be requested and not committed.
  void stockMakerUntilDone(instance, { apiUrl, rpcUrl: rpcUrls[swapChain] ?? '', stop: options.stop }, terminal.warn);
}

/** At the first start deploys the tokens and fills the ledger; later checks that both are still those of the first. Returns the demo user's profile. */
async function prepare(
  { dataDir }: SandboxOptions,
  instance: Instance,
  { databaseUrl, rpcUrls, sources, storeChains }: Infrastructure,
): Promise<string> {
  const url = (chain: string): string => rpcUrls[chain] ?? '';
  const chains = chainsOf(instance);
  const isNew = isFirstStart(instance);
  const networks = chains.map(async (chain) => (instance.networks[chain] = await prepareNetwork(chain, url(chain), instance)));
  const work = [...networks, migrateLedger(databaseUrl), migrateQueue({ databaseUrl, redisUrl: undefined })];
  // An error stops the database, so all must have ended before it is thrown.
  await Promise.allSettled(work);
  await Promise.all(work);
  // A chain that is killed must not go back behind the contracts that are recorded of it.
  if (isNew) await storeChains();
  saveInstance(dataDir, instance);
  const ledger = createLedger(createPool({ connectionString: databaseUrl, max: 2, name: 'mintrail sandbox' }), wakesNobody);
  try {
    const heads = await Promise.all(
      chains.map(async (chain) => {
        const { head } = await inspectChain({ url: url(chain), chainId: chainIds[chain] }, firstBlockOf(instance, chain));
        return [chain, head] as const;
      }),
    );
    await checkConsistency(ledger, instance, new Map(heads));
    await openForks(ledger, instance, { rpcUrls, sourceUrls: sources.urls });
    return await seed(ledger, dataDir, instance);
  } finally {
    await ledger.destroy();
  }
}

/** Adds what the ledger still lacks. Returns the profile of the demo user. */
async function seed(ledger: Ledger, dataDir: string, instance: Instance): Promise<string> {
  if (!instance.application) {
    const { application, partner } = await seedLedger(ledger);
    Object.assign(instance, { application, partner });
    saveInstance(dataDir, instance);
  }
  if (!instance.maker) {
    instance.maker = await seedMaker(ledger);
    saveInstance(dataDir, instance);
  }
  const profile = await defaultProfileOfOwner(ledger, instance.application?.clientId ?? '');
  if (!profile) throw inconsistent('the demo application is not in the ledger');
  return profile;
}

/** Chains are chosen at the first start: the ledger knows them from then on. */
function isFirstStart({ networks }: Instance): boolean {
  return Object.keys(networks).length === 0;
}

async function requirePort(port: number): Promise<void> {
  for (const deadline = Date.now() + portTimeoutMs; (await freePort(port)) !== port; await delay(200))
    if (Date.now() > deadline)
      throw new StopError({
        code: 'port_in_use',
        message: `Port ${port} is in use: stop the program that listens there, or choose another port: PORT=3001 npm start`,
      });
}

/** Waits until every part runs, as long as an indexer gets further. Throws `not_possible_yet`. */
async function waitUntilReady(apiUrl: string, databaseUrl: string, chains: readonly Chain[]): Promise<void> {
  const ledger = createLedger(createPool({ connectionString: databaseUrl, max: 1, name: 'mintrail sandbox' }), wakesNobody);
  const hasAdvanced = createProgressWatch();
  let deadline = Date.now() + readyTimeoutMs;
  let nextLook = Date.now() + progressIntervalMs;
  let missing: string[] = [];
  try {
    for (; Date.now() < deadline; await delay(100)) {
      const heartbeats = await listHeartbeats(ledger).catch(() => []);
      missing = [...((await isReady(apiUrl)) ? [] : ['api']), ...listNotRunning(heartbeats, chains)];
      if (missing.length === 0) return;
      if (Date.now() < nextLook) continue;
      nextLook = Date.now() + progressIntervalMs;
      if (hasAdvanced(heartbeats)) deadline = Date.now() + readyTimeoutMs;
    }
  } finally {
    await ledger.destroy();
  }
  const text = `The service did not become ready, and no indexer got further in ${readyTimeoutMs / 1000} s. Not running: ${missing.join(', ')}`;
  throw new RetryError({ code: 'not_possible_yet', message: text });
}

async function isReady(apiUrl: string): Promise<boolean> {
  const answer = await fetch(`${apiUrl}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
  return answer?.ok === true;
}
