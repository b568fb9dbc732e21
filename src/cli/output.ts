import Table from 'cli-table3';
import type { MinorUnits, TokenUnits } from '../platform/money.ts';
import { printable } from '../platform/printable.ts';
import { printableLines } from './print.ts';

/** An amount with or without its currency, or a count. */
const numberPattern = /^-?\d+(\.\d+)?( [A-Z]{3})?$/;

/** A table for people, numbers to the right, without colours, so that it reads the same in a file and a pipe. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: [...head],
    colAligns: head.map((_, column) => (areNumbers(rows.map((row) => row[column] ?? '')) ? 'right' : 'left')),
    style: { head: [], border: [], compact: true },
    // No lines between rows: more rows fit on a terminal.
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '  ',
    },
  });
  table.push(...rows.map((row) => row.map(printable)));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Whether a column has numbers and, at most, empty cells. */
function areNumbers(cells: readonly string[]): boolean {
  return cells.some((cell) => cell !== '') && cells.every((cell) => cell === '' || numberPattern.test(cell));
}

/** What JSON cannot show as it is: programs read amounts as the API writes them (`4.44`), and nobody reads bytes. */
type WithoutAmounts<Value> = Value extends MinorUnits | TokenUnits | Uint8Array
  ? never
  : Value extends string | Date
    ? Value
    : Value extends object
      ? { [Key in keyof Value]: WithoutAmounts<Value[Key]> }
      : Value;

/** JSON for programs. A bigint, such as a block number, becomes a string; the compiler refuses amounts that are no decimal text. It is {@link printable}. */
export function renderJson<Value>(value: Value & WithoutAmounts<Value>): string {
  const text = JSON.stringify(value, (_, item: unknown) => (typeof item === 'bigint' ? item.toString() : item), 2);
  return printableLines(text);
}

/** A time for people, to the second, in UTC. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** How long something lasts, for people, in its largest whole unit: `45 s`, `12 min`, `3 h`, `5 d`. */
export function formatDuration(seconds: number): string {
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ] as const;
  const [unit, size] = units.find((candidate) => seconds >= 2 * candidate[1]) ?? ['s', 1];
  return `${Math.floor(Math.max(0, seconds) / size)} ${unit}`;
}
