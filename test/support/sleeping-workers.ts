import { randomBytes } from 'node:crypto';
import { listHeartbeats } from '../../src/ledger/lanes/heartbeats.ts';
import { createLedger, inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { insertRedemption } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { settleLegs } from '../../src/ledger/orders/settling/settle-legs.ts';
import type { Counterpart } from '../../src/schema/column-types.ts';
import { createPool } from '../../src/platform/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { createWaker } from '../../src/platform/queue/waker.ts';
import { createAlarms } from '../../src/workers/alarms.ts';
import { createPayoutWorker } from '../../src/workers/payouts.ts';
import { runChainWorker } from '../../src/workers/run-chain-worker.ts';
import { createCustomer } from './customer.ts';
import { operator, startTestNetwork } from './chain/network.ts';
import { until } from './until.ts';
import { unsignedDraft } from './redemptions.ts';

/** Longer than any test: a worker that works has been woken. */
const sweepIntervalMs = 3_600_000;

export interface SleepingWorkers {
  /** The ledger of another process, whose waker reaches the workers through the queues alone. */
  waking: Ledger;
  /** A ledger that wakes nobody. */
  silent: Ledger;
  /** Places a redemption on Sepolia to a holder on Chiado, or to a bank. Returns its order and first leg. */
  redemption(to: 'chiado' | 'bank'): Promise<{ order: string; leg: string }>;
  /** Settles the burn of a redemption, as Sepolia's worker does. */
  settleBurn(ledger: Ledger, leg: string): Promise<void>;
  /** Transactions of the lane that Chiado's node knows, in a block or not. */
  transactionsInPool(): Promise<number>;
  /** Payments that were handed to the bank. */
  paymentsMade(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Chiado's worker, on a chain that makes no blocks, and the payments to the bank, both without a sweep: they sleep until a
 * wake-up reaches them. `env` may set `REDIS_URL`; by default the queues are in PostgreSQL.
 */
export async function startSleepingWorkers(databaseUrl: string, env: Record<string, string> = {}): Promise<SleepingWorkers> {
  const network = await startTestNetwork({ databaseUrl, mines: false, env: { BANK_RAIL: 'sandbox', CHIADO_BLOCK_TIME: '0.1', ...env } });
  const { settings } = network;
  const log = createLog(settings.logLevel);
  const pool = createPool({ connectionString: databaseUrl });
  const [waker, payoutWaker] = [createWaker(settings, log), createWaker(settings, log)];
  const silent = createLedger(pool, wakesNobody);
  const [sender, recipient] = [await createCustomer(silent, 'sepolia'), await createCustomer(silent, 'chiado')];
  const counterparts: Record<'chiado' | 'bank', Counterpart> = {
    chiado: { identifier: { standard: 'chain', address: recipient.address, chain: 'chiado' }, details: {} },
    bank: { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón', country: 'IS' } },
  };
  const workers = [
    await runChainWorker(settings, 'chiado', { sweepIntervalMs }),
    createPayoutWorker({
      settings,
      ledger: createLedger(pool, payoutWaker),
      log,
      waker: payoutWaker,
      alarms: createAlarms(log),
      sweepIntervalMs,
    }),
  ];
  await until('the lane is held', async () => {
    const worker = (await listHeartbeats(silent)).find(({ component }) => component === 'worker');
    return (worker?.facts.lanes as { held: boolean }[] | undefined)?.some(({ held }) => held) || undefined;
  });
  return {
    silent,
    waking: createLedger(pool, waker),
    async redemption(to) {
      const draft = unsignedDraft({ profile: sender.profile, address: sender.address, chain: 'sepolia', counterpart: counterparts[to] });
      await inTransaction(silent, (tx) => insertRedemption(tx, draft, 'by key'));
      const legs = silent.selectFrom('legs').where('orderId', '=', draft.id).where('kind', '=', 'redeem').select('id');
      return { order: draft.id, leg: (await legs.executeTakeFirstOrThrow()).id };
    },
    async settleBurn(ledger, leg) {
      await settleLegs(ledger, [{ legId: leg, txHash: randomHash(), blockNumber: 7n, refused: null }]);
    },
    transactionsInPool: () => network.rpc.getTransactionCount({ address: operator.address, blockTag: 'pending' }),
    async paymentsMade() {
      const made = silent.selectFrom('payments').where('state', '!=', 'ready');
      return Number((await made.select((select) => select.fn.countAll().as('count')).executeTakeFirstOrThrow()).count);
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
      await Promise.all([waker.close(), payoutWaker.close()]);
      await silent.destroy();
      await network.close();
    },
  };
}

function randomHash(): string {
  return `0x${randomBytes(32).toString('hex')}`;
}
