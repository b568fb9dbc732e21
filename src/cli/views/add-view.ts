import type { Command } from 'commander';
import type { z } from 'zod';
import { parseInput } from '../../operations/prepare-verb.ts';
import { readView, type View } from '../../operations/view.ts';
import { wholeNumber } from '../option-values.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { addFieldOptions, fieldsOf } from '../verbs/fields.ts';
import { withLedger } from '../with-ledger.ts';

/** What a command adds to the table of a view. */
interface ViewRendering<Row> {
  /** Whether the noun alone means this command. */
  isDefault?: boolean;
  /** What is said below the table, such as what to do with its rows. */
  below?: (rows: readonly Row[]) => string | undefined;
}

/** Adds the command of a view below the command of its noun, and returns it. Its options and help are made from the input of the view. */
export function addView<Schema extends z.ZodObject, Row>(
  noun: Command,
  view: View<Schema, Row>,
  { isDefault = false, below }: ViewRendering<Row> = {},
): Command {
  const command = noun.command(view.command.split(' ').at(-1) ?? '', { isDefault }).description(view.summary);
  const bodyOf = addFieldOptions(command, Object.entries(fieldsOf(view.input, 'output').properties));
  if (view.limit) command.option('--limit <number>', 'show at most this many', wholeNumber(1, view.limit.most), view.limit.usual);
  return command.option('--json', 'print JSON').action(async (options: { limit?: number; json?: true }) => {
    const input = (await parseInput(view, bodyOf(options))) as z.output<Schema>;
    const { rows, hasMore, total, isTotalEstimated } = await withLedger((ledger) =>
      readView(view, ledger, input, options.limit ?? Infinity),
    );
    if (options.json && total === undefined) return print(renderJson<unknown>(rows));
    if (options.json)
      return print(renderJson<unknown>({ [command.name()]: rows, total, ...(isTotalEstimated && { totalIsEstimate: true }) }));
    if (rows.length === 0) return print(view.empty);
    print(renderViewTable(view, rows));
    const remark = below?.(rows);
    if (remark !== undefined) print(`\n${remark}`);
    if (hasMore && total !== undefined) print(`\n${rows.length} of ${isTotalEstimated ? 'about ' : ''}${total}: --limit shows more.`);
    else if (hasMore) print(`Only the first ${rows.length} are shown; --limit shows more.`);
  });
}

/** Rows of a view as a table for people. */
export function renderViewTable<Row>({ columns }: Pick<View<z.ZodObject, Row>, 'columns'>, rows: readonly Row[]): string {
  const cells = rows.map((row) => Object.values(columns).map((cell) => cellText(cell(row))));
  return renderTable(Object.keys(columns), cells);
}

function cellText(cell: string | number | Date | null): string {
  return cell instanceof Date ? formatTime(cell) : String(cell ?? '');
}
