import type { Problem } from '../../status/problem.ts';
import { formatDuration } from '../output.ts';

/** Problems or warnings for people, in their order. One line each, without a table: the text is long, and a terminal breaks it better than columns do. */
export function renderProblems(problems: readonly Problem[], now: Date, called: 'problem' | 'warning'): string {
  // Two lanes may say the same of their network.
  const lines = new Map<string, string>();
  for (const problem of problems) {
    const key = `${problem.kind} ${problem.chain} ${problem.text}`;
    if (!lines.has(key)) lines.set(key, renderProblem(problem, now));
  }
  const count = problems.length === 1 ? `1 ${called}` : `${problems.length} ${called}s`;
  return [`${count}; docs/operations.md has a section for each kind.`, ...lines.values()].join('\n');
}

function renderProblem({ kind, chain, since, text }: Problem, now: Date): string {
  const where = chain === '' ? '' : ` on ${chain}`;
  return `  ${kind}${where}, for ${formatDuration((now.getTime() - since.getTime()) / 1000)}: ${text}`;
}
