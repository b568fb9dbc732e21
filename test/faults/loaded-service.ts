import { createClient } from '../../client/index.ts';
import type { SandboxFile } from '../../src/cli/running-sandbox.ts';
import { createSandboxRun, type SandboxRun } from '../scenarios/sandbox-run.ts';
import { type FoundProcess, processTree } from '../support/processes/process-tree.ts';
import { startTestRedis, type TestRedis } from '../support/processes/redis.ts';
import { until } from '../support/until.ts';
import { createHolders, creditTo, type Holders, type PlacedOrder, readOrders } from './holders.ts';
import { placeMixedOrders } from './mixed-orders.ts';
import { reportStatements } from './report-statements.ts';
import { balanced, cannotScaleOut, type Copies, countConnections, startCopies } from './scaled-out.ts';
import { type BookWatch, watchBook } from './watch-book.ts';

/** Blocks on top before an outcome counts; reorganisations stay within them. */
export const confirmations = 3;

/** With Redis and PgBouncer in transaction mode, where these are installed; `FAULT_SCALED=no` leaves them out. */
export const isScaledOut = cannotScaleOut === undefined && process.env['FAULT_SCALED'] !== 'no';

/** Which of two doubles of a process: that of the sandbox, or the copies beside it. */
export type Double = 'sandbox' | 'copies';

/** How much there is to do while faults happen. */
export interface Load {
  /** Orders of every kind, eight at a time, each after a pause of at most so many milliseconds. */
  mixed: { count: number; longestPauseMs: number };
  /** Credits that the bank reports at once. */
  credits: number;
  /** Statements that the bank reports, each with a credit. */
  statements: number;
}

/** A sandbox with two networks, of whose every process a double runs, and holders of tokens. */
export interface LoadedService {
  run: SandboxRun;
  file: SandboxFile;
  holders: Holders;
  watch: BookWatch;
  redis: TestRedis | undefined;
  /** Every order that was placed, but those of statements. */
  placed: PlacedOrder[];
  /** How many connections the database had through PgBouncer, at several times. */
  pooled: number[];
  /** Addresses of all APIs. */
  apiUrls(): string[];
  /** The processes of one double, or of both, whose command line matches, each with all it has started. */
  find(command: RegExp, double?: Double): FoundProcess[];
  noteConnections(): Promise<void>;
  /** Reports a payment. Returns the order's id. */
  pay(): Promise<string>;
  isProcessed(id: string): Promise<boolean>;
  /** Resolves when all orders are placed. */
  placeOrders(load: Load, random: () => number): Promise<void>;
  closeCopies(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it, and waits until the holders have tokens. */
export async function startLoadedService(): Promise<LoadedService> {
  const redis = isScaledOut ? await startTestRedis() : undefined;
  const queues = redis && { REDIS_URL: redis.url };
  const options = ['--chain', 'chiado', '--chain', 'sepolia', '--confirmations', String(confirmations)];
  const run = await createSandboxRun([...options, ...(isScaledOut ? ['--pgbouncer'] : [])], queues);
  const file = await run.start();
  let copies: Copies | undefined = await startCopies(run.dataDir, { ...queues });
  const apiUrls = () => [file.apiUrl, ...(copies?.apiUrls ?? [])];
  const holders = await createHolders(file, createClient({ baseUrl: file.apiUrl, ...file.applications.private, fetch: balanced(apiUrls) }));
  const { client, keys } = holders;
  const placed: PlacedOrder[] = [...(await readOrders(client)).keys()].map((id) => ({ id, doomed: false }));
  const pooled: number[] = [];
  let payments = 0;
  const pay = async (amount = '1.00') => {
    payments += 1;
    const chain = payments % 2 === 0 ? 'chiado' : 'sepolia';
    const id = await creditTo(holders, `payment-${payments}`, `${chain}:${keys[payments % keys.length]?.address}`, amount);
    placed.push({ id, doomed: false });
    return id;
  };
  const closeCopies = async () => {
    const closing = copies;
    copies = undefined;
    await closing?.close();
  };
  return {
    run,
    file,
    holders,
    watch: watchBook(run.dataDir, file),
    redis,
    placed,
    pooled,
    apiUrls,
    find(command, double) {
      const ofSandbox = run.find(command);
      if (double === 'sandbox') return ofSandbox;
      const all = processTree(process.pid).filter((found) => command.test(found.command));
      const matching = double === undefined ? all : all.filter(({ pid }) => !ofSandbox.some((other) => other.pid === pid));
      return matching.flatMap(({ pid }) => processTree(pid));
    },
    async noteConnections() {
      if (!isScaledOut) return;
      // The database may have been killed.
      const count = await countConnections(run.dataDir).catch(() => undefined);
      if (count !== undefined) pooled.push(count);
    },
    pay,
    async isProcessed(id) {
      const order = await client.get('/orders/{orderId}', { path: { orderId: id } }).catch(() => undefined);
      return order?.state === 'processed';
    },
    async placeOrders({ mixed, credits, statements }, random) {
      const [orders] = await Promise.all([
        placeMixedOrders(holders, mixed, random),
        reportStatements(run.dataDir, holders, statements),
        ...Array.from({ length: credits }, () => pay((1 + Math.floor(random() * 99_999) / 100).toFixed(2))),
      ]);
      placed.push(...orders);
    },
    closeCopies,
    async stop() {
      await closeCopies();
      await run.stop();
      await redis?.close();
      run.remove();
    },
  };
}

/** Waits until an order is processed. */
export async function untilProcessed(service: LoadedService, id: string): Promise<void> {
  await until(`order ${id} is processed`, async () => (await service.isProcessed(id)) || undefined);
}
