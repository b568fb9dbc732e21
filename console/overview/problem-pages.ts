import type { Section } from '../shell/sections.ts';

/** Where a problem or warning is acted on, by the beginnings of its kind (src/status/problem.ts). */
const pages: readonly { kinds: readonly string[]; to: Section['to']; name: string }[] = [
  {
    kinds: ['credits_', 'payments_', 'debit_', 'statement', 'claims_', 'recalls_', 'breach_bank', 'bank_', 'rates_old'],
    to: '/bank',
    name: 'Bank',
  },
  { kinds: ['order_', 'legs_', 'signatures_'], to: '/orders', name: 'Orders' },
  { kinds: ['address_', 'profile_'], to: '/customers', name: 'Customers' },
  { kinds: ['approvals_'], to: '/approvals', name: 'Approvals' },
  { kinds: ['webhook'], to: '/webhooks', name: 'Webhooks' },
  { kinds: ['secret_', 'certificate_', 'disk_', 'partition_', 'retention_'], to: '/settings', name: 'Settings' },
];

/** The page on which a problem is acted on. What belongs to a network is acted on there. */
export function pageOfProblem({ kind, chain }: { kind: string; chain: string }): { to: Section['to']; name: string } | undefined {
  const page = pages.find(({ kinds }) => kinds.some((beginning) => kind.startsWith(beginning)));
  if (page) return page;
  return chain === '' ? undefined : { to: '/networks', name: 'Networks' };
}
