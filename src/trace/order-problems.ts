import type { LegWait } from '../ledger/orders/leg-waits.ts';

/** Problems that are of one order, not of where it waits. */
const ofOneOrder = new Set(['order_stuck', 'order_idle']);

/** What is wrong (src/problems/problem.ts) where an open order waits: on its networks, at the bank as far as it stops money, with itself, and the breaches that stop it. */
export function problemsOfOrder<Problem extends Record<'kind' | 'chain' | 'subject' | 'severity', string>>(
  problems: readonly Problem[],
  { order, waits }: { order: string; waits: readonly Pick<LegWait, 'chain' | 'breaches'>[] },
): Problem[] {
  const chains = new Set<string>(waits.map(({ chain }) => chain ?? ''));
  const breaches = new Set(
    waits.flatMap((wait) => wait.breaches.map(({ comparison, currency, account }) => `breach_${comparison} ${currency} ${account}`.trim())),
  );
  return problems.filter(({ kind, chain, subject, severity }) => {
    if (kind.startsWith('breach_')) return breaches.has(`${kind} ${subject}`);
    if (chain === '' && severity !== 'stops money') return false;
    return chains.has(chain) && (!ofOneOrder.has(kind) || subject === order);
  });
}
