import { type Address, hashMessage, type Hex } from 'viem';
import { createMarketReader } from '../../src/chain/market-reader.ts';
import { followHead, type RunningHead } from '../../src/chain/head.ts';
import { createRpc, type Rpc } from '../../src/chain/endpoints/rpc.ts';
import { createLedger, type Ledger } from '../../src/ledger/ledger.ts';
import { laneQueue, wakesNobody } from '../../src/ledger/wake-ups.ts';
import type { RedemptionDraft } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import type { LinkProof } from '../../src/ledger/customers/link-proof.ts';
import { requestSignature, type SignatureDraft } from '../../src/ledger/orders/signature-requests.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import type { Loop } from '../../src/platform/loop.ts';
import { networkSettings } from '../../src/platform/settings.ts';
import { startSignatureChecks } from '../../src/workers/signatures.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase } from '../support/database.ts';
import { fundedAccount } from '../support/chain/local-chain.ts';
import { startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { noWakeUps } from '../support/no-wake-ups.ts';
import { draftOf } from '../support/redemptions.ts';
import { until } from '../support/until.ts';

const senders = () => [fundedAccount(0).address];

type Asked = { address: Address; text?: string; signature?: Hex };

/** A network whose blocks the test mines, a ledger with one customer, and signature checks that the test starts. */
export type SignatureChecks = Awaited<ReturnType<typeof setUpSignatureChecks>>;

export async function setUpSignatureChecks(env: Record<string, string> = {}, slotsInAnEpoch?: number) {
  const database = await createTestDatabase();
  const anvil = slotsInAnEpoch === undefined ? {} : { slotsInAnEpoch };
  const network: TestNetwork = await startTestNetwork({ databaseUrl: database.url, mines: false, anvil, env });
  const poolSize = 3;
  const pool = createPool({ connectionString: database.url, max: poolSize });
  const connections = { inUse: 0, mostInUse: 0 };
  pool.on('acquire', () => {
    connections.inUse += 1;
    connections.mostInUse = Math.max(connections.mostInUse, connections.inUse);
  });
  pool.on('release', () => void (connections.inUse -= 1));
  const ledger = createLedger(pool, wakesNobody);
  const customer = await createCustomer(ledger, 'chiado');
  const settings = networkSettings(network.settings, 'chiado');
  const running: { close(): Promise<void> }[] = [];
  const started: Loop[] = [];
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');
  let texts = 0;

  return {
    network,
    chain: network.rpc,
    ledger,
    /** Of the pool of three connections that the checks and the test share. */
    connections,
    customer,
    settings,
    /** Starts the worker's part; `url` is the node that it asks. Returns how often orders became ready. */
    start({ url = network.anvil.url, head: given }: { url?: string; head?: RunningHead } = {}): {
      ready: () => number;
      head: RunningHead;
      close: () => Promise<void>;
    } {
      const rpc: Rpc = createRpc({ ...settings, rpcUrls: [url] });
      const head = given ?? followHead(rpc, 50, log);
      // From a node that answers, as the lanes read it too.
      const market = createMarketReader({ rpc: createRpc(settings), network: settings, head });
      let ready = 0;
      const own = createLedger(pool, { wake: (queue) => void (ready += Number(queue === laneQueue('chiado'))) });
      const checks = startSignatureChecks({ ledger: own, rpc, network: settings, senders, market, head, log, waker: noWakeUps, poolSize });
      started.push(checks);
      running.push(checks, head);
      return { ready: () => ready, head, close: () => checks.close() };
    },
    /** Asks for the signature of an order; returns the request's id and the order's. */
    async order({ address, text = textOf(++texts), signature = '0x' }: Asked, given: Partial<RedemptionDraft> = {}) {
      const draft = draftOf({ profile: customer.profile, address: lowerAddress(address), ...given }, text, signature);
      await linkForOrders(ledger, draft);
      const request = await ask(ledger, { kind: 'order', draft }, text, signature);
      return { order: draft.id, request, text };
    },
    async link({ address, text = 'I hereby declare that I am the address owner.', signature = '0x' }: Asked, by: TestCustomer = customer) {
      const proof: LinkProof = signature === '0x' ? { kind: 'sentence on chain' } : { kind: 'sentence', signer: 'contract' };
      const draft = { profile: by.profile, address: lowerAddress(address), chain: 'chiado' as const, user: by.user, proof };
      return ask(ledger, { kind: 'linkAddress', draft }, text, signature);
    },
    requests: () => ledger.selectFrom('signatureRequests').selectAll().orderBy('createdAt').execute(),
    async decided(id: string) {
      return until(`request ${id} is decided`, async () => {
        const row = await ledger.selectFrom('signatureRequests').where('id', '=', id).selectAll().executeTakeFirst();
        return row?.state === 'pending' ? undefined : row;
      });
    },
    /** The order, its legs' states and its events, in one line; undefined while there is none. */
    async orderState(id: string): Promise<string | undefined> {
      const order = await ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirst();
      if (!order) return undefined;
      const legs = await ledger.selectFrom('legs').where('orderId', '=', id).select('state').orderBy('position').execute();
      const events = await ledger.selectFrom('events').where('subject', '=', id).select('type').orderBy('id').execute();
      return [order.state, legs.map(({ state }) => state).join(' '), events.map(({ type }) => type).join(' ')].join(', ');
    },
    links: (address: Address) =>
      ledger
        .selectFrom('addressLinks as l')
        .innerJoin('addresses as a', 'a.address', 'l.address')
        .where('l.address', '=', lowerAddress(address))
        .select(['a.profile', 'l.chain', 'l.proof'])
        .execute(),
    makeOld: (id: string, days: number) =>
      ledger
        .updateTable('signatureRequests')
        .set({ createdAt: new Date(Date.now() - days * 86_400_000) })
        .where('id', '=', id)
        .execute(),
    /** Mines blocks and waits until the checks have looked at the newest. */
    async mineAndLook(head: RunningHead, blocks: number) {
      if (blocks > 0) await network.rpc.mine({ blocks });
      const newest = await network.rpc.getBlockNumber();
      await until(`block ${newest} is seen`, async () => ((head.number() ?? -1n) >= newest ? true : undefined));
      await Promise.all(started.map((checks) => checks.turned()));
    },
    /** Ends what was started, so that another test may start anew. */
    async rest() {
      started.length = 0;
      await Promise.all(running.splice(0).map((part) => part.close()));
    },
    async close() {
      await Promise.all(running.map((part) => part.close()));
      await ledger.destroy();
      await network.close();
      await database.drop();
    },
  };
}

/** Orders are placed from addresses that their profile has linked. */
async function linkForOrders(ledger: Ledger, { address, profile, chain }: RedemptionDraft): Promise<void> {
  const { owner } = await ledger.selectFrom('profiles').where('id', '=', profile).select('owner').executeTakeFirstOrThrow();
  await ledger
    .insertInto('addresses')
    .values({ address, profile })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await ledger
    .insertInto('addressLinks')
    .values({ address, chain, linkedBy: owner as string })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export function textOf(n: number): string {
  return `Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:00:${String(n).padStart(2, '0')}Z`;
}

async function ask(ledger: Ledger, draft: SignatureDraft, text: string, signature: Hex): Promise<string> {
  const id = await requestSignature(ledger, { ...draft, digest: hashMessage(text), signature, correlationId: null });
  return id as string;
}
