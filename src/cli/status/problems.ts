import type { JudgedProblem } from '../../problems/problem.ts';
import { formatDuration } from '../output.ts';

/** Problems for people, in their order. One line each, without a table: the text is long, and a terminal breaks it better than columns do. */
export function renderProblems(problems: readonly JudgedProblem[], now: Date): string {
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
  return [`${count}; docs/operations/runbooks has a page for each kind.`, ...problems.map((problem) => renderProblem(problem, now))].join(
    '\n',
  );
}

function renderProblem({ kind, chain, since, severity, overdue, text }: JudgedProblem, now: Date): string {
  const where = chain === '' ? '' : ` on ${chain}`;
  const worth = severity === 'needs a person' && overdue ? `${severity}, overdue` : severity;
  return `  ${kind}${where} (${worth}), for ${formatDuration((now.getTime() - since.getTime()) / 1000)}: ${text}`;
}
