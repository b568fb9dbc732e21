import type { Problem } from '../../status/problem.ts';
import { formatDuration } from '../output.ts';

/** Problems or warnings for people: by network, in each the oldest first. One line each, without a table: the text is long, and a terminal breaks it better than columns do. */
export function renderProblems(problems: readonly Problem[], now: Date, called: 'problem' | 'warning'): string {
  const chains = [...new Set(problems.map(({ chain }) => chain))];
  const groups = chains.map((chain) => {
    // Two lanes may say the same of their network.
    const lines = new Map<string, string>();
    for (const problem of problems) {
      const key = `${problem.kind} ${problem.text}`;
      if (problem.chain === chain && !lines.has(key)) lines.set(key, renderProblem(problem, now));
    }
    return [chain === '' ? 'all networks' : chain, ...lines.values()].join('\n');
  });
  const count = problems.length === 1 ? `1 ${called}` : `${problems.length} ${called}s`;
  return [`${count}; docs/operations.md has a section for each kind.`, ...groups].join('\n');
}

function renderProblem({ kind, since, text }: Problem, now: Date): string {
  return `  ${kind}, for ${formatDuration((now.getTime() - since.getTime()) / 1000)}: ${text}`;
}
