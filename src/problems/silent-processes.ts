import { type Heartbeat, silentAfterSeconds } from '../ledger/lanes/heartbeats.ts';
import type { JudgedProblem } from './problem.ts';

/** One problem of each process that is silent, whichever networks it serves. What shows a single network has each of its own. */
export function joinSilentProcesses(problems: readonly JudgedProblem[], heartbeats: readonly Heartbeat[]): JudgedProblem[] {
  const processOf = ({ kind, chain, subject }: JudgedProblem) =>
    kind === 'worker_silent'
      ? heartbeats.find((beat) => beat.component === subject && beat.chain === chain && beat.age >= silentAfterSeconds)?.process
      : undefined;
  return [...Map.groupBy(problems, (problem) => processOf(problem) ?? problem).values()].flatMap(([first, ...others]) => {
    if (first === undefined || others.length === 0) return first ?? [];
    const texts = [first, ...others].map(({ text }) => text);
    return Object.assign({}, first, { chain: '' as const, text: texts.join('. In the same process ') });
  });
}
