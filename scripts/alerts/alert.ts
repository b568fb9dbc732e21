/** An alert rule as deploy/prometheus/rules.yml has it. */
export interface Alert {
  /** The name of its page in docs/operations/runbooks. */
  runbook: string;
  /** `critical` wakes somebody, `warning` is for the same day, `info` for the daytime. */
  severity: 'critical' | 'warning' | 'info';
  expr: string;
  /** How long the expression holds before the alert fires, as Prometheus writes durations. */
  for: string;
  summary: string;
  description: string;
}

/** The name of the alert with this runbook: `lane_parked` is `MintrailLaneParked`. */
export function alertName(runbook: string): string {
  return `Mintrail${runbook.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}
