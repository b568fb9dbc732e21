import Table from 'cli-table3';
import { type FigureKey, figures, isMet, requirementOf, type Results, shown } from './figures.ts';

/** Prints a table of names and values below a title. */
export function print(title: string, rows: [string, string][]): void {
  const table = new Table({ style: { head: [], border: [] } });
  table.push(...rows);
  console.log(`\n${title}\n${table.toString()}`);
}

/** A figure with its requirement, and whether it meets that. */
export function judged(text: string, isGood: boolean, requirement: string): string {
  return `${text} (${isGood ? 'met' : 'NOT MET'}: ${requirement})`;
}

/** Prints every figure; those that this run has not measured with a dash. */
export function printFigures({ measured }: Results): void {
  const rows = (Object.keys(figures) as FigureKey[]).map((key): [string, string] => {
    const { what } = figures[key];
    const figure = measured.get(key);
    if (!figure) return [what, ['–', requirementOf(key)].filter(Boolean).join(' ')];
    const text = [shown(key, figure.value), figure.note].filter(Boolean).join(', ');
    const isGood = isMet(key, figure.value);
    return [what, isGood === undefined ? text : judged(text, isGood, requirementOf(key))];
  });
  print('figures', rows);
}
