import { expect, it } from 'vitest';
import type { ProblemKind } from '../../src/problems/catalogue.ts';
import { judgeProblems, type Problem } from '../../src/problems/problem.ts';

const now = new Date('2026-05-06T12:00:00Z');

const judge = (problems: readonly Problem[], at = now, reviewDays = 1) => judgeProblems(problems, at, { reviewDays });

const problem = (kind: ProblemKind, chain: Problem['chain'] = '', since = now, subject: string = kind): Problem => ({
  kind,
  chain,
  subject,
  since,
  text: kind,
});

it('what stops money comes first, then what needs a person, then what ends soon', () => {
  const kinds = ['certificate_expiring', 'credits_unmatched', 'lane_parked', 'queue_unreachable', 'nonce_used_elsewhere'] as const;
  expect(judge(kinds.map((kind) => problem(kind))).map(({ kind, severity }) => [kind, severity])).toEqual([
    ['nonce_used_elsewhere', 'stops money'],
    ['lane_parked', 'stops money'],
    ['queue_unreachable', 'needs a person'],
    ['credits_unmatched', 'needs a person'],
    ['certificate_expiring', 'soon'],
  ]);
});

const overdue = (kind: ProblemKind, since: string, at = now) => judge([problem(kind, '', new Date(since))], at)[0]?.overdue;

it('a review is overdue after a working day, what stops money or a process at once, and what ends soon never', () => {
  expect(overdue('profiles_in_review', '2026-05-05T12:00:01Z')).toBe(false);
  expect(overdue('profiles_in_review', '2026-05-05T12:00:00Z')).toBe(true);
  // From Friday to Monday.
  expect(overdue('profiles_in_review', '2026-05-01T12:00:01Z', new Date('2026-05-04T12:00:00Z'))).toBe(false);
  // Also on a Saturday.
  for (const at of [now, new Date('2026-05-09T12:00:00Z')])
    for (const kind of ['lane_parked', 'queue_unreachable'] as const) expect(overdue(kind, at.toISOString(), at)).toBe(true);
  expect(overdue('certificate_expiring', '2020-01-01')).toBe(false);
});

it('a review may wait for as many working days as the setting says, and nothing else may', () => {
  const since = new Date('2026-05-04T13:00:00Z');
  const judged = judge([problem('profiles_in_review', '', since), problem('approvals_waiting', '', since)], now, 2);
  expect(Object.fromEntries(judged.map(({ kind, overdue: isOverdue }) => [kind, isOverdue]))).toEqual({
    profiles_in_review: false,
    approvals_waiting: true,
  });
});

it('what follows from a problem of the same network is named by that, and what does not follow is named itself', () => {
  const judged = judge([
    problem('legs_overdue', 'chiado'),
    problem('comparison_missing', 'chiado'),
    problem('worker_silent', 'chiado'),
    problem('legs_overdue', 'gnosis'),
    problem('gas_money', 'chiado'),
  ]);
  expect(judged.map(({ chain, text }) => [chain, text])).toEqual([
    ['chiado', 'worker_silent. From this follows legs_overdue, comparison_missing'],
    ['chiado', 'gas_money'],
    ['gnosis', 'legs_overdue'],
  ]);
});

it('nothing of the ledger follows from an API that is silent, and from no process what waits for the bank', () => {
  const work = [
    problem('payments_overdue', '', now, 'bank'),
    problem('payments_overdue', '', now, 'leg'),
    problem('comparison_missing'),
    problem('partition_missing'),
    problem('retention_overdue'),
  ];
  const besides = (cause: Problem) => judge([cause, ...work]).map(({ kind, subject }) => `${kind} ${subject}`);
  const all = work.map(({ kind, subject }) => `${kind} ${subject}`);
  for (const kind of ['worker_silent', 'worker_missing'] as const) {
    expect(besides(problem(kind, '', now, 'api'))).toEqual([`${kind} api`, ...all]);
    expect(besides(problem(kind, '', now, 'common'))).toEqual([`${kind} common`, 'payments_overdue bank']);
  }
});

it('an alarm of a kind that only another version knows needs a person at once', () => {
  expect(judge([problem('of_a_later_version' as ProblemKind)])).toMatchObject([{ severity: 'needs a person', overdue: true }]);
});
