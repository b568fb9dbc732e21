/** An alert rule as deploy/prometheus/rules.yml has it. */
export interface Alert {
  /** Its heading in docs/operations.md, which is its runbook. */
  runbook: string;
  /** `critical` wakes somebody, `warning` is for the same day, `info` for the daytime. */
  severity: 'critical' | 'warning' | 'info';
  expr: string;
  /** How long the expression holds before the alert fires, as Prometheus writes durations. */
  for: string;
  summary: string;
  description: string;
}

/** The name of the alert whose runbook has this heading: `lane_parked` is `MintrailLaneParked`. */
export function alertName(runbook: string): string {
  return `Mintrail${runbook.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;
}
