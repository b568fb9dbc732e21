import { sql } from 'kysely';
import { heartbeats } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { parkedLanes } from '../../ledger/lanes/parked-lanes.ts';
import { openBreaches } from '../../ledger/bank/reserve-breaches.ts';
import { stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { subscriptionHealth, type SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';

/** A component beats every two seconds; three missed beats and some load are still no death. */
const silentAfterSeconds = 15;

/** A subscriber whose deliveries wait longer has missed several attempts. */
const behindAfterSeconds = 60;

export interface ServiceStatus {
  ok: boolean;
  /** One sentence per thing that is not well. */
  problems: string[];
  components: { component: string; chain: string; ok: boolean; ageSeconds: number; facts: Record<string, unknown> }[];
  orders: Record<string, number>;
  openLegs: { chain: string; kind: string; state: string; count: number; oldestSeconds: number }[];
  parkedLanes: { chain: string; signer: string; scope: string; reason: string; since: Date }[];
  /** Subscriptions that are behind, or to which deliveries were given up in the last 24 hours: their receivers' matter, not ours. */
  failingWebhooks: SubscriptionHealth[];
}

/** What the ledger and the last signs of life tell about the whole service. Needs no network but the database. */
export async function readStatus(ledger: Ledger): Promise<ServiceStatus> {
  const [beats, parked, stuck, breaches, subscriptions, orders, openLegs] = await Promise.all([
    heartbeats(ledger),
    parkedLanes(ledger),
    stuckOrders(ledger),
    openBreaches(ledger),
    subscriptionHealth(ledger),
    ledger
      .selectFrom('orders')
      .groupBy('state')
      .select(['state', sql<number>`count(*)::int`.as('count')])
      .execute(),
    ledger
      .selectFrom('legs')
      .where('state', 'in', ['waiting', 'ready', 'sent'])
      .groupBy(['chain', 'kind', 'state'])
      .select(['kind', 'state', sql<string>`coalesce(chain, '')`.as('chain')])
      .select([sql<number>`count(*)::int`.as('count'), sql<number>`extract(epoch from now() - min(created_at))::int`.as('oldestSeconds')])
      .orderBy('chain')
      .execute(),
  ]);
  const components = beats.map(({ component, chain, facts, age }) => {
    const ok = age < silentAfterSeconds && facts['ok'] !== false;
    return { component, chain, ok, ageSeconds: Math.round(age), facts };
  });
  const problems = [
    ...(components.length === 0 ? ['no component has ever given a sign of life: is a worker running?'] : []),
    ...components.filter(({ ok }) => !ok).map(describe),
    ...components.flatMap(({ chain, facts }) => silentSigners(chain, facts)),
    ...parked.map(({ chain, signer, scope, reason }) => `lane ${signer} on ${chain} does not send (${scope}): ${reason}`),
    ...stuck.map(
      ({ id, reason }) => `the tokens of order ${id} cannot be given back (${reason}): mend that, then mintrail orders give-back ${id}`,
    ),
    ...breaches.map(({ currency }) => `${currency} is not issued, because tokens and money differ: see mintrail reconcile`),
  ];
  return {
    ok: problems.length === 0,
    problems,
    components,
    orders: Object.fromEntries(orders.map(({ state, count }) => [state, count])),
    openLegs,
    parkedLanes: parked,
    failingWebhooks: subscriptions.filter(({ failed, oldestSeconds }) => failed > 0 || (oldestSeconds ?? 0) > behindAfterSeconds),
  };
}

/** The worker tells of each lane why its signer does not sign: an outage of one is none of the network's. */
function silentSigners(chain: string, { lanes = [] }: { lanes?: { signer: string; outage?: string | null }[] }): string[] {
  return lanes.flatMap(({ signer, outage }) => (outage ? [`the signer ${signer} on ${chain} does not sign: ${outage}`] : []));
}

function describe({ component, chain, ageSeconds, facts }: ServiceStatus['components'][number]): string {
  const name = [component, chain].filter(Boolean).join(' ');
  if (ageSeconds >= silentAfterSeconds) return `${name} has given no sign of life for ${ageSeconds} s`;
  return `${name} is not well: ${JSON.stringify(facts)}`;
}
