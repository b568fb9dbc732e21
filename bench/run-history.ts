import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Figure, type FigureKey, figures, type Measured, type Results } from './figures.ts';
import type { Surroundings } from './machine.ts';

const file = path.join(import.meta.dirname, 'history.csv');

/** A figure of a run, as bench/history.csv has it. */
export interface RunFigure extends Measured {
  /** When the run began, to the minute of UTC. */
  date: string;
  commit: string;
  machine: string;
  load: number;
  figure: string;
}

/** Appends a run to bench/history.csv: a line for each figure that it has measured. */
export function appendToHistory(results: Results, around: Surroundings, startedAt: Date): void {
  appendFileSync(file, linesOf(results, around, startedAt));
}

/** The figures of all runs that bench/history.csv has, the oldest first. */
export function readHistory(): RunFigure[] {
  return parseHistory(readFileSync(file, 'utf8'));
}

/** The lines of a run in bench/history.csv. */
export function linesOf({ measured }: Results, { commit, machine, load }: Surroundings, startedAt: Date): string {
  const date = startedAt.toISOString().slice(0, 16);
  return [...measured]
    .map(([key, { value, note = '' }]) =>
      [date, commit, machine, load.toFixed(1), key, value.toFixed(decimalsOf(key)), note].map((cell) => quoted(cell)).join(','),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** The figures that a text of the form of bench/history.csv has below its head. */
export function parseHistory(text: string): RunFigure[] {
  const lines = text.trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const [date = '', commit = '', machine = '', load, figure = '', value, note] = cellsOf(line);
    return { date, commit, machine, load: Number(load), figure, value: Number(value), note };
  });
}

function decimalsOf(key: FigureKey): number {
  const { decimals = 0 }: Figure = figures[key];
  return decimals;
}

function quoted(text: string): string {
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, inQuotes, plain = '']) => inQuotes?.replaceAll('""', '"') ?? plain,
  );
}
