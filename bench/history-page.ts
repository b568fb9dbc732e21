import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Figure, type FigureKey, figures, requirementOf } from './figures.ts';
import { lineChart } from './line-chart.ts';
import { readHistory, type RunFigure } from './run-history.ts';

/** Runs from which on a line says something. */
const fewestRuns = 3;

/** Writes bench/history.md anew from bench/history.csv. */
export function writeHistoryPage(): void {
  writeFileSync(path.join(import.meta.dirname, 'history.md'), historyPage(readHistory()));
}

/** The page of charts of bench/history.md: one for each figure that the project wants to reach, and for the speed of the machine. */
export function historyPage(runs: readonly RunFigure[]): string {
  const charts = (Object.keys(figures) as FigureKey[]).filter((key) => key.startsWith('machine') || requirementOf(key) !== '');
  return [
    '# History of the benchmark\n',
    'What the runs of `npm run bench` have measured, the newest on the right; [the benchmark](README.md) explains the figures.',
    'The straight line is what is wanted.',
    'Compare runs on machines of the same speed, which the first charts show.',
    '[history.csv](history.csv) has the figures with commit, machine, load and notes; a `+` behind a commit says that its tree had changes that were not committed, `load` how many processes waited for a core.',
    'Each run writes this page anew, and so does `npm run docs`.\n',
    ...charts.flatMap((key) => chartOf(key, runs)),
  ].join('\n');
}

function chartOf(key: FigureKey, runs: readonly RunFigure[]): string[] {
  const { what, unit, atLeast, atMost }: Figure = figures[key];
  const measured = runs.filter(({ figure, value }) => figure === key && Number.isFinite(value));
  if (measured.length < fewestRuns) return [];
  const values = measured.map(({ value }) => value);
  const bound = atLeast ?? atMost;
  const title = [`${key}: ${what}`, requirementOf(key)].filter(Boolean).join('; ');
  return [
    lineChart({
      title: title.replaceAll(/["`]/g, ''),
      x: { title: 'run', values: `[${measured.map(({ date }) => `"${date.slice(5).replace('T', ' ')}"`).join(', ')}]` },
      unit,
      least: bound ?? 1,
      lines: bound === undefined ? [values] : [values, values.map(() => bound)],
    }),
  ];
}
