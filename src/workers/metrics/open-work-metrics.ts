import type { Registry } from 'prom-client';
import type { OpenLegs } from '../../ledger/lanes/open-legs.ts';
import type { Chain } from '../../platform/chains.ts';
import { legAgesSeconds } from '../../platform/metrics/order-metrics.ts';
import { registeredGauge } from '../../platform/metrics/registered.ts';

/** Legs of the bank have no network. */
const legKinds = { chain: ['issue', 'redeem'], bank: ['payout', 'return'] } as const;

const legStates: readonly OpenLegs['state'][] = ['waiting', 'ready', 'held', 'dust', 'sent'];

/** The classes of age, each named by its upper bound. */
const ages = [...legAgesSeconds.map(String), '+Inf'];

/** Shows the orders and legs that have not ended. What there is none of is 0, so that no series ends. */
export function createOpenWorkMetrics(registry: Registry, chains: readonly Chain[]) {
  const openOrders = registeredGauge(registry, 'mintrail_open_orders');
  const openLegs = registeredGauge(registry, 'mintrail_open_legs');
  const oldestLeg = registeredGauge(registry, 'mintrail_open_leg_oldest_seconds');
  const scopes = [
    ...legKinds.bank.map((kind) => ({ chain: '', kind })),
    ...chains.flatMap((chain) => legKinds.chain.map((kind) => ({ chain, kind }))),
  ];
  const clear = () => {
    openLegs.reset();
    oldestLeg.reset();
    for (const scope of scopes) {
      oldestLeg.set(scope, 0);
      for (const state of legStates) for (const age of ages) openLegs.set({ ...scope, state, age }, 0);
    }
  };
  return {
    showOrders(counts: Record<'placed' | 'pending', number>) {
      for (const [state, count] of Object.entries(counts)) openOrders.set({ state }, count);
    },
    show(groups: readonly OpenLegs[]) {
      clear();
      const oldest = new Map<string, OpenLegs>();
      for (const legs of groups) {
        const { chain, kind, state, count, older, oldestSeconds } = legs;
        ages.forEach((age, index) => {
          const notYounger = index === 0 ? count : (older[index - 1] ?? 0);
          openLegs.set({ chain, kind, state, age }, notYounger - (older[index] ?? 0));
        });
        const isDue = state === 'ready' || state === 'sent';
        if (isDue && oldestSeconds > (oldest.get(`${chain} ${kind}`)?.oldestSeconds ?? -1)) oldest.set(`${chain} ${kind}`, legs);
      }
      for (const { chain, kind, oldestSeconds } of oldest.values()) oldestLeg.set({ chain, kind }, oldestSeconds);
    },
  };
}
