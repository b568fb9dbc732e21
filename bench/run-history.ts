import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type FigureKey, figures, type Results, shown } from './figures.ts';
import type { Surroundings } from './machine.ts';

const file = path.join(import.meta.dirname, 'history.md');

/** Appends a run to bench/history.md. Figures that did not exist when its last table began begin a new table. */
export function appendToHistory(results: Results, around: Surroundings, startedAt: Date): void {
  writeFileSync(file, withRun(readFileSync(file, 'utf8'), results, around, startedAt));
}

/** The text of bench/history.md with one more run. */
export function withRun(text: string, { measured }: Results, { commit, machine, load }: Surroundings, startedAt: Date): string {
  const keys = Object.keys(figures) as FigureKey[];
  const head = tableRow(['date', 'commit', 'machine', 'load', ...keys]);
  const cells = keys.map((key) => {
    const figure = measured.get(key);
    return figure ? [shown(key, figure.value), figure.note && `(${figure.note})`].filter(Boolean).join(' ') : '–';
  });
  const row = tableRow([startedAt.toISOString().slice(0, 16), commit, machine, load.toFixed(1), ...cells]);
  const lastHead = text.split('\n').findLast((line) => line.startsWith('| date '));
  const lines = lastHead === head ? [row] : ['', head, head.replaceAll(/[^|]+/g, ' --- '), row];
  return `${text.trimEnd()}\n${lines.join('\n')}\n`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
