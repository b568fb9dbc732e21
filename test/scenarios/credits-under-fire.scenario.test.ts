import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { parseUnits } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import type { SandboxFile } from '../../src/cli/sandbox/sandbox-process.ts';
import { listNotRunning } from '../../src/cli/sandbox/start-progress.ts';
import { type Chain, type Client, createClient, linkMessage, type Order } from '../../client/index.ts';
import { listHeartbeats } from '../../src/ledger/lanes/heartbeats.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { chainsOf } from '../../src/platform/chains.ts';
import { createPool } from '../../src/platform/database.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { until } from '../support/until.ts';
import { openIban } from './customers.ts';
import { expectReconciled } from './expect-reconciled.ts';
import { readOrders } from './holders.ts';
import { readBalance, readMints } from './token-logs.ts';
import { signalAll } from '../support/processes/process-tree.ts';
import { seededRandom, shuffled } from './seeded-random.ts';
import { createSandboxRun, type SandboxRun } from './sandbox-run.ts';
import { type BookWatch, watchBook } from './watch-book.ts';

/** `FIRE_SEED=… npx vitest run test/scenarios/credits-under-fire.scenario.test.ts` shoots the same again. */
const seed = Number(process.env['FIRE_SEED'] ?? randomInt(2 ** 31));
const count = Number(process.env['FIRE_CREDITS'] ?? 500);
const random = seededRandom(seed);

const targets: Record<string, RegExp> = {
  worker: /main\.ts worker --chain chiado/,
  'indexer with all Ponders': /main\.ts indexer --chain chiado/,
  'Ponder of sepolia': /ponder\.js .* --schema idx_sepolia/,
  api: /main\.ts api/,
  postgres: /bin\/postgres -D/,
};
const everything = 'the whole sandbox';

/** Shots after one at each: they hit while parts are still coming back from the first. */
const secondShots = 2;

/** Longest pause between two shots, in milliseconds: the credits take some seconds when nobody shoots. */
const longestPause = 1_500;

interface Credit {
  reference: string;
  amount: string;
  chain: Chain;
  account: `0x${string}`;
}

describe(`500 credits at once under fire (FIRE_SEED=${seed})`, () => {
  let run: SandboxRun;
  let file: SandboxFile;
  let client: Client;
  let watch: BookWatch;
  let credits: Credit[];
  const orderOf = new Map<string, string>();
  let orders: Map<string, Order>;

  beforeAll(async () => {
    console.log(`FIRE_SEED=${seed}`);
    run = await createSandboxRun(['--chain', 'chiado', '--chain', 'sepolia']);
    file = await run.start();
    client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
    const accounts = file.accounts.slice(0, 4).map(({ privateKey }) => privateKeyToAccount(privateKey));
    for (const account of accounts) for (const chain of Object.keys(file.chains) as Chain[]) await link(client, account, chain);
    const iban = await openIban(client, accounts[0]?.address as string, 'chiado');
    credits = Array.from({ length: count }, (_, index) => ({
      reference: `fire-${seed}-${index}`,
      amount: (1 + Math.floor(random() * 99_999) / 100).toFixed(2),
      chain: index % 2 === 0 ? 'chiado' : 'sepolia',
      account: accounts[Math.floor(random() * accounts.length)]?.address as `0x${string}`,
    }));
    watch = watchBook(run.dataDir, file);
    const posting = Promise.all(credits.map((credit) => post(client, iban, credit, orderOf)));
    await Promise.all([posting, fire(run, file)]);
  });
  afterAll(async () => {
    await run?.stop();
    run?.remove();
  });

  it('are all processed', async ({ onTestFailed }) => {
    onTestFailed(() => console.log(run.logTails()));
    orders = await until('all orders are processed', async () => {
      // The last shot may have hit the API.
      const found = await readOrders(client).catch(() => undefined);
      return found && [...found.values()].every(({ state }) => state === 'processed') ? found : undefined;
    });
    expect(orders.size).toBe(count);
    expect(new Set(orderOf.values())).toEqual(new Set(orders.keys()));
  });

  it('leave the book balanced at every second, and equal to the states, the index and the nodes', async () => {
    const { looks, wrong } = await watch.end();
    expect(wrong).toEqual([]);
    console.log(`comparisons made: ${JSON.stringify(looks)}`);
    // The database is down for much of the time.
    expect(looks.states).toBeGreaterThan(2);
    expect(looks.index).toBeGreaterThan(0);
    expect(looks.nodes).toBeGreaterThan(0);
  });

  it('are each minted exactly once, as the chains themselves say', async () => {
    const mints = await readMints(file, 'eur');
    const told = mints.map(({ orderId, chain, account, amount }) => `${orderId} ${chain} ${account} ${amount}`);
    const owed = credits.map(
      ({ reference, chain, account, amount }) => `${orderOf.get(reference)} ${chain} ${account.toLowerCase()} ${parseUnits(amount, 18)}`,
    );
    expect(told.sort()).toEqual(owed.sort());
    for (const order of orders.values()) expect(order.meta.txHashes).toHaveLength(1);
  });

  it('leave a service of which every part runs', async () => {
    const pool = createPool({ ...statementConnection(cliSettings({ MINTRAIL_DATA_DIR: run.dataDir })), max: 1 });
    const ledger = createLedger(pool, wakesNobody);
    const chains = chainsOf(file.chains);
    await until('every part runs', async () => listNotRunning(await listHeartbeats(ledger), chains).length === 0 || undefined);
    await ledger.destroy();
    expect((await fetch(`${file.apiUrl}/health/ready`)).status).toBe(200);
  });

  it('show in the balances of the API as in those of the chains', async () => {
    for (const { chain, account } of credits.slice(0, 16)) {
      const { balances } = await client.get('/balances/{chain}/{address}', { path: { chain, address: account } });
      expect(parseUnits(balances[0]?.amount ?? '', 18)).toBe(await readBalance(file, chain, 'eur', account));
    }
  });

  it('leave no difference between tokens and money', async () => {
    await expectReconciled(run.dataDir);
  });
});

/** One shot at each target in any order, the whole sandbox among them, and a second one at some of the parts. */
async function fire(run: SandboxRun, file: SandboxFile): Promise<void> {
  const parts = Object.keys(targets);
  for (const name of [...shuffled([...parts, everything], random), ...shuffled(parts, random).slice(0, secondShots)]) {
    await delay(random() * longestPause);
    if (name === everything) {
      await run.killAll();
      console.log(`shot ${name}`);
      // The link to the console is of one start alone.
      const { console: _, ...same } = file as typeof file & { console: unknown };
      expect(await run.start(), 'the same data and chains').toMatchObject(same);
      continue;
    }
    const all = await until(`${name} runs`, async () => found(run, targets[name] as RegExp));
    // Alone it leaves its children to the guard, or to themselves.
    const hit = random() < 0.3 ? all.slice(0, 1) : all;
    signalAll(hit, 'SIGKILL');
    console.log(`shot ${name}: ${hit.length} processes`);
  }
}

function found(run: SandboxRun, command: RegExp) {
  const processes = run.find(command);
  return processes.length > 0 ? processes : undefined;
}

async function link(client: Client, account: ReturnType<typeof privateKeyToAccount>, chain: Chain): Promise<void> {
  const signature = await account.signMessage({ message: linkMessage });
  await client.post('/addresses', { body: { address: account.address, chain, message: linkMessage, signature } });
}

/** Reports a payment until it is heard, as a bank does: the same reference is the same money. */
async function post(client: Client, iban: string, credit: Credit, orderOf: Map<string, string>): Promise<void> {
  const { reference, amount, chain, account } = credit;
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const body = { iban, amount, currency: 'eur', payer, remittance: `${chain}:${account}`, reference } as const;
  const answer = await until(`the credit ${reference} is heard`, () => client.post('/sandbox/credits', { body }).catch(() => undefined));
  orderOf.set(reference, answer.order?.id as string);
}
