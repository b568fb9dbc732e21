import { type Heartbeat, listHeartbeats } from '../../ledger/lanes/heartbeats.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { countOpenLegs, type OpenLegs } from '../../ledger/lanes/open-legs.ts';
import { countOrders } from '../../ledger/orders/order-queries.ts';
import { openBreaches } from '../../ledger/bank/reserve-breaches.ts';
import { stuckOrders } from '../../ledger/orders/stuck-orders.ts';
import { subscriptionHealth, type SubscriptionHealth } from '../../ledger/webhooks/delivery-queries.ts';

/** Age of a heartbeat after which a component counts as down. It writes one every two seconds; load may delay several. */
const silentAfterSeconds = 15;

/** A delivery that has waited this long has had several attempts. */
const behindAfterSeconds = 60;

/** The state of the whole service, as `mintrail status` shows it; `orders` counts them by state. */
export interface ServiceStatus {
  /** True when there are no problems. */
  ok: boolean;
  /** One sentence for each. */
  problems: string[];
  components: { component: string; chain: Heartbeat['chain']; ok: boolean; ageSeconds: number; facts: Record<string, unknown> }[];
  orders: Record<string, number>;
  openLegs: OpenLegs[];
  /** Subscriptions that are behind, or whose deliveries failed in the last 24 hours. Their receivers are at fault, so they are no problem of the service. */
  failingWebhooks: SubscriptionHealth[];
}

/** Reads the state of the whole service from the ledger and its heartbeats. Asks no chain and no process. */
export async function readStatus(ledger: Ledger): Promise<ServiceStatus> {
  const [beats, stuck, breaches, subscriptions, orders, openLegs] = await Promise.all([
    listHeartbeats(ledger),
    stuckOrders(ledger),
    openBreaches(ledger),
    subscriptionHealth(ledger),
    countOrders(ledger),
    countOpenLegs(ledger),
  ]);
  const components = beats.map(({ component, chain, facts, age }) => {
    const ok = age < silentAfterSeconds && facts['ok'] !== false;
    return { component, chain, ok, ageSeconds: Math.round(age), facts };
  });
  const problems = [
    ...(components.length === 0 ? ['no component has written a heartbeat yet: is a worker running?'] : []),
    ...components.filter(({ ok }) => !ok).map(describe),
    ...components.flatMap(({ chain, facts }) => silentSigners(chain, facts)),
    ...components.flatMap(({ chain, facts }) => alarmTexts(chain, facts)),
    ...stuck.map(
      ({ id, reason }) =>
        `the tokens of order ${id} cannot be given back (${reason}): remove the cause, then run mintrail orders give-back ${id}`,
    ),
    ...breaches.map(({ currency }) => `${currency} is not issued, because tokens and money differ: run mintrail reconcile`),
  ];
  return {
    ok: problems.length === 0,
    problems,
    components,
    orders,
    openLegs,
    failingWebhooks: subscriptions.filter(({ failed, oldestSeconds }) => failed > 0 || (oldestSeconds ?? 0) > behindAfterSeconds),
  };
}

/** One problem for each signer that its lane reports as not signing. The other lanes of the network go on. */
function silentSigners(chain: Heartbeat['chain'], { lanes = [] }: { lanes?: { signer: string; outage?: string | null }[] }): string[] {
  return lanes.flatMap(({ signer, outage }) => (outage ? [`the signer ${signer} on ${chain} does not sign: ${outage}`] : []));
}

/** What a worker raised an alarm about. */
function alarmTexts(chain: Heartbeat['chain'], { alarms = [] }: { alarms?: { text: string }[] }): string[] {
  return alarms.map(({ text }) => `${chain}: ${text}`);
}

function describe({ component, chain, ageSeconds, facts }: ServiceStatus['components'][number]): string {
  const name = [component, chain].filter(Boolean).join(' ');
  if (ageSeconds >= silentAfterSeconds) return `${name} has written no heartbeat for ${ageSeconds} s`;
  return `${name} reports a problem: ${JSON.stringify(facts)}`;
}
