import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { type Address, type Hex, keccak256 } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { createEndpoints } from '../../src/chain/endpoints/endpoints.ts';
import { createEvidence } from '../../src/chain/evidence/evidence.ts';
import type { Head } from '../../src/chain/head.ts';
import { encodeIssue, encodeRedeem } from '../../src/chain/token/calls.ts';
import { paymentMessage } from '../../client/index.ts';
import { claimReady } from '../support/claim-ready.ts';
import { recordTransaction } from '../../src/ledger/lanes/transactions.ts';
import { createLedger, inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { setOutcomesAside } from '../../src/ledger/recovery/decide-outcomes.ts';
import { listOpenOutcomes } from '../../src/ledger/recovery/unrecorded-outcomes.ts';
import { insertRedemption } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { loadSettings, type NetworkSettings, networkSettings } from '../../src/platform/settings.ts';
import { type Alarms, createAlarms } from '../../src/workers/alarms.ts';
import { createSettler, type Settler } from '../../src/workers/settler.ts';
import { execute, fundedAccount, type LocalAccount, transact } from '../support/chain/local-chain.ts';
import { operator, startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { createTestIndex, type TestIndex } from '../support/chain/test-index.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createTestDatabase } from '../support/database.ts';
import { draftOf } from '../support/redemptions.ts';

const payeeIban = 'DE89370400440532013000';
const payer = { name: 'Jón', iban: 'IS140159260076545510730339' };

/** The key of an operator that somebody else has. */
export const thief = fundedAccount(5);

/** A settler whose turns a test takes, on a local chain, with a ledger and an index of its own. */
export interface Settling {
  network: TestNetwork;
  ledger: Ledger;
  pool: Pool;
  index: TestIndex;
  customer: TestCustomer;
  token: Address;
  alarms: Alarms;
  /** Milliseconds that are added to the settler's clock. */
  clock: { ahead: number };
  settler: Settler;
  /** A settler with other settings of the network, such as other endpoints. */
  settlerWith(changes: Partial<NetworkSettings>): Settler;
  /** A credit and its issue leg. */
  credit(amount: bigint): Promise<string>;
  /** A redemption that the customer has signed, or in the given words. */
  redeem(amount: bigint, changes?: { signature?: Hex }): Promise<{ id: string; message: string; signature: Hex; messageHash: Hex }>;
  /** Records a transaction with all that is ready of a kind, as a lane does. Returns its hash and signed bytes. */
  record(kind: 'issue' | 'redeem'): Promise<{ hash: Hex; raw: Hex; sequences: bigint[] }>;
  /** Records it, broadcasts and mines it. */
  send(kind: 'issue' | 'redeem'): Promise<Hex>;
  broadcast(raw: Hex): Promise<void>;
  /** Mines, indexes and settles. */
  settle(blocks?: number): Promise<void>;
  /** What the settler believes of the chain. */
  head: Pick<Head, 'number' | 'outage'>;
  /** An operator finds that what somebody else did is no order of this ledger. Returns how many outcomes that were. */
  setAside(): Promise<number>;
  order(id: string): Promise<{ state: string; rejectedReason: string | null; txHashes: string[] }>;
  leg(orderId: string, kind: string): Promise<{ state: string; sequence: bigint | null; txHash: string | null }>;
  stop(): Promise<void>;
}

/** With a `restFactor`, a turn of the settlers looks at all sent legs only at that pace; by default each does. */
export async function startSettling(env: Record<string, string> = {}, restFactor = 0): Promise<Settling> {
  const database = await createTestDatabase();
  const network = await startTestNetwork({ databaseUrl: database.url, mines: false, env, anvil: { slotsInAnEpoch: 1 } });
  const pool = createPool({ connectionString: database.url });
  const ledger = createLedger(pool, wakesNobody);
  const customer = await createCustomer(ledger, 'chiado');
  const token = network.tokens.eur as Address;
  const settings = networkSettings(loadSettings(network.env), 'chiado');
  const log = createLog(process.env.TEST_LOG_LEVEL ?? 'silent');
  const clock = { ahead: 0 };
  const now = () => Date.now() + clock.ahead;
  const alarms = createAlarms(log, now);
  const index = await createTestIndex(pool, 'chiado', network.rpc, [token]);
  const head: Settling['head'] = { number: () => undefined, outage: () => undefined };
  const settlerWith = (changes: Partial<NetworkSettings>) => {
    const changed = { ...settings, ...changes };
    const evidence = createEvidence(changed, createEndpoints(changed, undefined, { checksChain: true }));
    return createSettler({ ledger, network: changed, evidence, head, log, alarms, now, restFactor });
  };
  const settler = settlerWith({});
  let nonce = 0n;

  const sign = async (data: Hex) => {
    const transaction = { to: token, data, nonce: Number(nonce), gas: 5_000_000n, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n };
    const raw = await operator.signTransaction({ ...transaction, chainId: 10200, type: 'eip1559' });
    return raw;
  };

  const harness: Settling = {
    network,
    ledger,
    pool,
    index,
    customer,
    token,
    alarms,
    clock,
    settler,
    settlerWith,
    head,
    credit: async (amount) => (await issueCredits(ledger, [creditTo(customer.iban, amount, { payer })]))[0] as string,
    async redeem(amount, changes = {}) {
      const decimals = `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
      const message = paymentMessage({ currency: 'eur', amount: decimals, to: { iban: payeeIban }, at: new Date() });
      const signature = changes.signature ?? (await privateKeyToAccount(customer.privateKey).signMessage({ message }));
      const { profile, address } = customer;
      const draft = draftOf({ profile, address, amount: amount.toString() }, message, signature);
      await inTransaction(ledger, (tx) => insertRedemption(tx, draft, 'by key'));
      return { id: draft.id, message, signature, messageHash: draft.digest as Hex };
    },
    async record(kind) {
      const signer = lowerAddress(operator.address);
      const legs = await claimReady(ledger, { chain: 'chiado', signer, limit: 100, tokens: { eur: token } });
      const items = legs.map(({ sequence, message, signature, ...item }) => ({
        ...item,
        sequence: sequence ?? 0n,
        message: message ?? '',
        signature: (signature ?? '0x') as Hex,
      }));
      const raw = await sign(kind === 'issue' ? encodeIssue(items) : encodeRedeem(items));
      const hash = keccak256(raw);
      await recordTransaction(ledger, {
        chain: 'chiado',
        signer,
        nonce,
        kind,
        currency: 'eur',
        gasLimit: 5_000_000n,
        sentAtBlock: 1n,
        legs: legs.map(({ id }) => id),
        attempt: { hash, raw, maxFeePerGas: 10n ** 10n, maxPriorityFeePerGas: 1n },
      });
      nonce += 1n;
      return { hash, raw, sequences: legs.map(({ sequence }) => sequence ?? -1n) };
    },
    async broadcast(raw) {
      await network.rpc.sendRawTransaction({ serializedTransaction: raw });
      await network.rpc.mine({ blocks: 1 });
    },
    async send(kind) {
      const { hash, raw } = await harness.record(kind);
      await harness.broadcast(raw);
      return hash;
    },
    async settle(blocks = 0) {
      if (blocks > 0) await network.rpc.mine({ blocks });
      await index.follow();
      await harness.settler.turn();
    },
    async setAside() {
      const open = await listOpenOutcomes(ledger, 100);
      const ids = open.map(({ id }) => id);
      return setOutcomesAside(ledger, ids, 'a stolen key', 'operator');
    },
    order: (id) => ledger.selectFrom('orders').where('id', '=', id).selectAll().executeTakeFirstOrThrow(),
    leg: (orderId, kind) =>
      ledger
        .selectFrom('legs')
        .where('orderId', '=', orderId)
        .where('kind', '=', kind as 'issue')
        .selectAll()
        .executeTakeFirstOrThrow(),
    async stop() {
      await ledger.destroy();
      await network.close();
      await database.drop();
    },
  };
  await appointThief(harness);
  return harness;
}

/** A call to the token by somebody else who has an operator's key. */
export function steal({ network, token }: Settling, data: Hex, from: LocalAccount = thief) {
  return transact(network.rpc, { from, to: token, data, gas: 5_000_000n });
}

/** Gives the customer tokens, under a number far away from the ledger's. */
export async function fund(settling: Settling, amount: bigint, sequence = 1_000_000n): Promise<void> {
  const item = { orderId: randomUUID(), account: settling.customer.address, amount: minorUnits(amount), sequence };
  await steal(settling, encodeIssue([item]));
}

async function appointThief({ network, token }: Settling): Promise<void> {
  const admin = { from: fundedAccount(0) };
  const role = await network.rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'OPERATOR_ROLE' });
  await execute(network.rpc, token, eMoneyTokenAbi, 'grantRole', [role, thief.address], admin);
  const limit = toTokenUnits(minorUnits(1_000_000n));
  await execute(network.rpc, token, eMoneyTokenAbi, 'setMintAllowance', [thief.address, 0n, limit, limit], admin);
}
