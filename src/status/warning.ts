/** What ends or runs out some day or can be read by all, and does not stop anything yet; docs/operations.md has a section for each. */
export const warningKinds = [
  'allowance_low',
  'daily_limit_low',
  'gas_money_low',
  'endpoint_silent',
  'endpoint_behind',
  'certificate_expiring',
  'secret_old',
  'secret_readable',
  'disk_low',
  'mail_not_configured',
  'proxies_wrong',
  'rates_old',
  'statements_late',
  'approvals_waiting',
  'acted_alone',
] as const;

/** One of {@link warningKinds}. */
export type WarningKind = (typeof warningKinds)[number];

/** Whether a kind of an alarm or a problem is that of a warning. */
export function isWarningKind(kind: string): kind is WarningKind {
  return (warningKinds as readonly string[]).includes(kind);
}
