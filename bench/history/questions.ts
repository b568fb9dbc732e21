import { sql } from 'kysely';
import { indexedOutcomes } from '../../src/indexed/outcomes.ts';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { readBalances, trialBalance } from '../../src/ledger/book/balances.ts';
import { recordEntries } from '../../src/ledger/book/entries.ts';
import { rollForward } from '../../src/ledger/book/roll-forward.ts';
import { findDecidedLegs } from '../../src/ledger/lanes/decided-legs.ts';
import { listReadyGroups } from '../../src/ledger/lanes/leg-groups.ts';
import { claimLegs } from '../../src/ledger/lanes/legs.ts';
import { inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { isReadable, newestPosition, readFeed } from '../../src/ledger/orders/order-feed.ts';
import { listAllOrders, readOrder } from '../../src/ledger/orders/order-queries.ts';
import { listOrders } from '../../src/ledger/orders/orders.ts';
import { claimDeliveries } from '../../src/ledger/webhooks/claims.ts';
import { listDeliveries } from '../../src/ledger/webhooks/delivery-queries.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits } from '../../src/platform/money.ts';
import type { Settings } from '../../src/platform/settings.ts';
import { compareBookWithIndex } from '../../src/reconciliation/book-and-index.ts';
import { compareBookWithStates } from '../../src/reconciliation/book-and-states.ts';
import { readReserve } from '../../src/reconciliation/reserve.ts';
import { readStatus } from '../../src/status/read-status.ts';
import { testSealer } from '../../test/support/test-sealer.ts';
import { tokenOf } from './networks.ts';

/** Something that the service or an operator asks the ledger, and within how many milliseconds it should be answered. */
export interface Question {
  name: string;
  withinMs: number;
  ask: () => Promise<unknown>;
}

const subscription = '00000000-0000-7000-8000-000000000003';
const chain = 'gnosis';
const signer = lowerAddress(`0x${'5'.repeat(40)}`);
const tokens = { eur: tokenOf(chain, 'eur'), gbp: tokenOf(chain, 'gbp') };

/** What is asked continuously, and what an operator asks, of a ledger with history. */
export async function questionsOf(ledger: Ledger, settings: Settings): Promise<Question[]> {
  const { rows: samples } = await sql<{
    id: string;
    profile: string;
  }>`select id, profile from orders where id > gen_random_uuid() order by id limit 100`.execute(ledger);
  const sample = () => samples[Math.floor(Math.random() * samples.length)] as { id: string; profile: string };
  const position = await newestPosition(ledger);
  const networks = Object.values(settings.networks);
  return [
    { name: 'roll-forward of 100 entries', withinMs: 20, ask: () => rollForward(ledger) },
    { name: 'reserve', withinMs: 20, ask: () => readReserve(ledger) },
    {
      name: 'comparison with the index',
      withinMs: 20,
      ask: () => Promise.all(networks.map((network) => compareBookWithIndex(ledger, network))),
    },
    { name: 'comparison with the states', withinMs: 20, ask: () => compareBookWithStates(ledger) },
    { name: 'status', withinMs: 100, ask: () => readStatus(ledger, settings) },
    { name: 'book balances', withinMs: 20, ask: () => Promise.all([readBalances(ledger), trialBalance(ledger)]) },
    { name: 'orders list', withinMs: 20, ask: () => listAllOrders(ledger, { limit: 50 }) },
    { name: 'orders list --state pending', withinMs: 50, ask: () => listAllOrders(ledger, { state: ['pending'], limit: 50 }) },
    { name: 'orders list --state rejected', withinMs: 50, ask: () => listAllOrders(ledger, { state: ['rejected'], limit: 50 }) },
    { name: 'orders show', withinMs: 20, ask: () => readOrder(ledger, sample().id) },
    {
      name: 'GET /orders?state=placed',
      withinMs: 20,
      ask: () => listOrders(ledger, { profile: sample().profile, states: ['placed'] }, { limit: 50 }),
    },
    { name: 'ready groups', withinMs: 20, ask: () => listReadyGroups(ledger, chain, ['eur', 'gbp']) },
    {
      name: 'claim of 5 legs',
      withinMs: 20,
      ask: () =>
        claimLegs(ledger, {
          chain,
          signer,
          group: { kind: 'issue', currency: 'eur', signedBy: 'nobody', isRetry: false },
          limit: 5,
          tokens,
          block: 1n,
        }),
    },
    {
      name: "the settler's look",
      withinMs: 50,
      ask: () => findDecidedLegs(ledger, { chain, outcomes: indexedOutcomes(chain), upToBlock: 900_000_000n, except: [], limit: 100 }),
    },
    { name: 'new events', withinMs: 20, ask: () => dispatchEvents(ledger, 100, 'recent') },
    { name: 'order stream: newest events', withinMs: 20, ask: () => readFeed(ledger, { after: position - 100n, limit: 200 }) },
    { name: 'order stream: resume', withinMs: 20, ask: () => isReadable(ledger, position - 1_000n) },
    {
      name: 'due deliveries',
      withinMs: 20,
      ask: () => claimDeliveries(ledger, testSealer, { limit: 2, failingLimit: 1, slots: [], otherSlots: 2, leaseSeconds: 60 }),
    },
    {
      name: 'deliveries of a subscription that failed',
      withinMs: 50,
      ask: () => listDeliveries(ledger, { subscription, states: ['failed'] }, { limit: 50 }),
    },
    { name: 'audit', withinMs: 50, ask: () => listAudit(ledger, { limit: 50 }) },
    { name: 'audit --subject', withinMs: 50, ask: () => listAudit(ledger, { subject: sample().id, limit: 50 }) },
    { name: 'audit --since 24h', withinMs: 50, ask: () => listAudit(ledger, { since: new Date(Date.now() - 86_400_000), limit: 50 }) },
  ];
}

/** What the roll-forward has to fold in its next measurement: the entries of a busy second. */
export async function bookSecond(ledger: Ledger): Promise<void> {
  const entry = { kind: 'opening', debit: 'equity:openings', credit: 'equity:operator', currency: 'eur', amount: minorUnits(1n) } as const;
  await inTransaction(ledger, (tx) =>
    recordEntries(
      tx,
      Array.from({ length: 100 }, () => ({ ...entry, source: crypto.randomUUID() })),
    ),
  );
}
