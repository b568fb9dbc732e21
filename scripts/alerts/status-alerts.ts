import { catalogue, problemKinds, type Severity, titleOf } from '../../src/problems/catalogue.ts';
import type { Alert } from './alert.ts';

/** What an alert does by what its problem is worth, and how long it lasts first: a minute may be a restart. */
const alertsOf: Readonly<Record<Severity, { severity: Alert['severity']; for: string }>> = {
  'stops money': { severity: 'critical', for: '30s' },
  'needs a person': { severity: 'warning', for: '30s' },
  soon: { severity: 'info', for: '10m' },
};

/** One alert for each kind of problem, so that each has its severity and its runbook. */
export const statusAlerts: readonly Alert[] = problemKinds.toSorted().map((kind) => ({
  runbook: kind,
  severity: alertsOf[catalogue[kind].severity].severity,
  // A comparison has lasted already before it is a breach.
  for: kind.startsWith('breach_') ? '0s' : alertsOf[catalogue[kind].severity].for,
  // Each copy of the common worker shows the same.
  expr: `max by (chain, kind) (mintrail_problems{kind="${kind}"}) > 0`,
  // What belongs to no network has an empty label.
  summary: titleOf(catalogue[kind], (word) => `{{ with $labels.chain }} ${word} {{ . }}{{ end }}`),
  description: `{{ $value }} of the kind ${kind}: \`mintrail status\` names each, with its remedy.`,
}));
