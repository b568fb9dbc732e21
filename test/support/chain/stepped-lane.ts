import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { createEndpoints } from '../../../src/chain/endpoints/endpoints.ts';
import { createHead } from '../../../src/chain/head.ts';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { createKeySigner } from '../../../src/chain/signers/raw-key.ts';
import type { Signer } from '../../../src/chain/signers/signer.ts';
import { createLedger, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createLog } from '../../../src/platform/log.ts';
import { type Currency, type MinorUnits, minorUnits, toTokenUnits } from '../../../src/platform/money.ts';
import { networkSettings, type NetworkSettings } from '../../../src/platform/settings.ts';
import type { ProblemKind } from '../../../src/problems/catalogue.ts';
import { type Alarms, createAlarms } from '../../../src/workers/alarms.ts';
import { createLane, type Lane } from '../../../src/workers/lanes/lane.ts';
import { creditTo, issueCredits } from '../credits.ts';
import { createCustomer, type TestCustomer } from '../customer.ts';
import { until } from '../until.ts';
import { createTestDatabase } from '../database.ts';
import { keepSent } from '../sent-statements.ts';
import { operator, startTestNetwork, type TestNetwork, type TestNetworkOptions } from './network.ts';
import { type FaultyRpc, startFaultyRpc } from './rpc-faults.ts';

/** The correlation id of the requests that the orders of a stepped lane are due to. */
export const correlationId = 'a-request';

/** A lane on a chain and behind a node that the test drives block by block. */
export interface SteppedLane {
  network: TestNetwork;
  settings: NetworkSettings;
  ledger: Ledger;
  alarms: Alarms;
  /** The first of the endpoints. */
  node: FaultyRpc;
  /** All endpoints, each in front of the same chain. */
  nodes: FaultyRpc[];
  customer: TestCustomer;
  lane: Lane;
  /** Milliseconds that are added to the lane's clock. */
  clock: { ahead: number };
  /** What was logged with this text: the correlation ids of the orders that the lines name. */
  loggedFor(text: string): string[][];
  /** Credits the customer's IBAN with minor units; the orders have {@link correlationId}. */
  credit(amount: bigint, currency?: Currency): Promise<void>;
  /** Lets the lane take a turn at the chain's newest block. A turn that fails is one that a worker repeats. */
  turn(): Promise<void>;
  /** Mines this many blocks, with a turn after each. */
  blocks(count: number): Promise<void>;
  /** A lane that starts anew, as after a crash, and has taken a turn. */
  restart(): Promise<void>;
  /** The lane of a second worker with the same key. The caller drops it. */
  startSpare(): Lane;
  transactions(): Promise<{ id: string; kind: string; state: string; nonce: bigint; gasLimit: bigint }[]>;
  /** The attempts of all transactions, the oldest first, with fees in wei per gas. */
  attempts(): Promise<{ hash: string; raw: string; maxFeePerGas: bigint; maxPriorityFeePerGas: bigint; transaction: string }[]>;
  /** Statements that were sent to the database so far. */
  statements(): number;
  /** Minor units that the customer holds on chain. */
  balance(currency?: Currency): Promise<MinorUnits>;
  /** The texts of the raised alarms of a kind. */
  alarmsOf(kind: ProblemKind): string[];
  close(): Promise<void>;
}

type SteppedLaneOptions = Pick<TestNetworkOptions, 'chain' | 'env' | 'currencies' | 'mintAllowance'> & {
  endpoints?: number;
  minesWhileSigning?: boolean;
};

/**
 * Starts a chain that mines nothing by itself, a node in front of it that can fail, and a lane that takes no turn by itself. With `minesWhileSigning`, each
 * transaction takes the lane a block's time.
 */
export async function startSteppedLane({
  chain = 'chiado',
  endpoints: endpointCount = 1,
  minesWhileSigning = false,
  ...options
}: SteppedLaneOptions = {}): Promise<SteppedLane> {
  const database = await createTestDatabase();
  const network = await startTestNetwork({ databaseUrl: database.url, chain, mines: false, ...options });
  const nodes = await Promise.all(Array.from({ length: endpointCount }, () => startFaultyRpc(network.anvil.url)));
  const settings = { ...networkSettings(network.settings, chain), rpcUrls: nodes.map(({ url }) => url) };
  const pool = createPool({ connectionString: database.url });
  const sent = keepSent(pool);
  const ledger = createLedger(pool, wakesNobody);
  const customer = await createCustomer(ledger, chain);
  const lines: { msg: string; correlationIds?: string[] }[] = [];
  const write = (line: string) => {
    lines.push(JSON.parse(line) as (typeof lines)[number]);
    if (process.env.TEST_LOG_LEVEL !== undefined) process.stdout.write(line);
  };
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'info', {}, { write });
  const key = createKeySigner(operator.privateKey);
  const signer: Signer = {
    ...key,
    async sign(transaction) {
      if (minesWhileSigning) await network.rpc.mine({ blocks: 1 }).then(() => head.poll());
      return key.sign(transaction);
    },
  };
  const rpc: Rpc = createRpc(settings);
  const endpoints = createEndpoints(settings);
  const head = createHead(createRpc(networkSettings(network.settings, chain)), log);
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const start = () => {
    const alarms = createAlarms(log, now);
    return { alarms, lane: createLane({ ledger, directPool: pool, rpc, endpoints, signer, network: settings, head, log, alarms, now }) };
  };
  let running = start();
  const stepped: SteppedLane = {
    network,
    settings,
    ledger,
    node: nodes[0] as FaultyRpc,
    nodes,
    customer,
    clock,
    get alarms() {
      return running.alarms;
    },
    get lane() {
      return running.lane;
    },
    loggedFor: (text) => lines.flatMap(({ msg, correlationIds = [] }) => (msg.startsWith(text) ? [correlationIds] : [])),
    async credit(amount, currency = 'eur') {
      await issueCredits(ledger, [creditTo(customer.iban, amount, { currency, correlationId })], chain);
    },
    async turn() {
      await head.poll();
      await running.lane.turn().catch((error: unknown) => log.error(error));
    },
    async blocks(count) {
      for (let mined = 0; mined < count; mined += 1) {
        await network.rpc.mine({ blocks: 1 });
        await stepped.turn();
      }
    },
    async restart() {
      await running.lane.drop();
      running = start();
      // PostgreSQL frees the lock of a connection that was closed a moment later.
      await until('the lane is held again', async () => {
        await stepped.turn();
        return running.lane.facts().held || undefined;
      });
    },
    startSpare: () => start().lane,
    transactions: () =>
      ledger
        .selectFrom('transactions')
        .select(['id', 'kind', 'state', 'nonce', 'gasLimit'])
        .orderBy('nonce')
        .orderBy('createdAt')
        .execute(),
    async attempts() {
      const rows = await ledger.selectFrom('transactionAttempts').selectAll().orderBy('createdAt').orderBy('position').execute();
      return rows.map((row) => ({
        hash: row.hash,
        raw: row.raw as string,
        transaction: row.transaction,
        maxFeePerGas: BigInt(row.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(row.maxPriorityFeePerGas),
      }));
    },
    statements: () => sent.length,
    async balance(currency = 'eur') {
      const address = network.tokens[currency] as `0x${string}`;
      const held = await network.rpc.readContract({ address, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [customer.address] });
      return minorUnits(held / toTokenUnits(minorUnits(1n)));
    },
    alarmsOf: (kind) => running.alarms.list().flatMap((alarm) => (alarm.kind === kind ? [alarm.text] : [])),
    async close() {
      await running.lane.drop();
      await ledger.destroy();
      await Promise.all(nodes.map((node) => node.close()));
      await network.close();
      await database.drop();
    },
  };
  return stepped;
}
