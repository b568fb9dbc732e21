import type { Component } from '../ledger/lanes/heartbeats.ts';
import type { Chain } from '../platform/chains.ts';
import type { Settings } from '../platform/settings.ts';
import { bankDaysBefore } from './bounds.ts';
import { catalogue, type ProblemEntry, type ProblemKind, problemKinds, type Severity } from './catalogue.ts';

/** Something that an operator should look at, as its check finds it. It is known by its kind, chain and subject while it lasts. */
export interface Problem {
  kind: ProblemKind;
  /** Empty for what belongs to no network. */
  chain: Chain | '';
  /** What it is about, such as a signer, an order or a component. */
  subject: string;
  since: Date;
  /** What is wrong, with its values, and the remedy. */
  text: string;
}

/** A problem with what it is worth. */
export interface JudgedProblem extends Problem {
  severity: Severity;
  /** Whether it stops money, or has waited for a person for longer than it may. */
  overdue: boolean;
}

/** What the catalogue says of a kind. A process of another version may raise an alarm that this one does not know. */
export function entryOf(kind: ProblemKind): ProblemEntry {
  return (
    (catalogue as Partial<typeof catalogue>)[kind] ?? { severity: 'needs a person', title: kind, for: 'machine', foundBy: [], page: '/' }
  );
}

/** Processes that carry out nothing of the ledger. */
const causesNothing: ReadonlySet<string> = new Set<Component>(['api', 'upstream']);

/** Says what problems are worth, the most urgent first, those of a kind by age, and without those that only follow from others, which name them instead. */
export function judgeProblems(
  problems: readonly Problem[],
  now: Date,
  { reviewDays }: Pick<Settings['warnAt'], 'reviewDays'>,
): JudgedProblem[] {
  const all = problems.toSorted((a, b) => rankOf(a) - rankOf(b) || a.since.getTime() - b.since.getTime());
  const held = new Map<Problem, Set<ProblemKind>>();
  const causes = all.filter((problem) => {
    const { follows = [], own = [] } = entryOf(problem.kind);
    if (own.includes(problem.subject)) return true;
    const cause = all.find(({ kind, chain, subject }) => chain === problem.chain && follows.includes(kind) && !causesNothing.has(subject));
    if (cause) held.set(cause, (held.get(cause) ?? new Set()).add(problem.kind));
    return cause === undefined;
  });
  return causes.map((problem) => {
    const { severity, workingDays } = entryOf(problem.kind);
    const days = workingDays === 'reviewDays' ? reviewDays : workingDays;
    const hasWaited = days === undefined || problem.since <= bankDaysBefore(now, days);
    const overdue = severity === 'stops money' || (severity === 'needs a person' && hasWaited);
    const follows = [...(held.get(problem) ?? [])];
    const text = follows.length === 0 ? problem.text : `${problem.text}. From this follows ${follows.join(', ')}`;
    return Object.assign({}, problem, { severity, overdue, text });
  });
}

function rankOf({ kind }: Problem): number {
  const rank = problemKinds.indexOf(kind);
  return rank === -1 ? problemKinds.length : rank;
}
