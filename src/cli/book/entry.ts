import { findEntriesOf, findEntry, type JournalEntry } from '../../ledger/book/journal.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { isUuid } from '../../platform/uuid.ts';
import { entryJson } from '../../trace/story-json.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail book entry`. Throws `not_found`. */
export async function showEntry(id: string, json: boolean): Promise<void> {
  const entries = await withLedger(async (ledger) => {
    const entry = isUuid(id) ? await findEntry(ledger, id.toLowerCase()) : undefined;
    return entry === undefined ? findEntriesOf(ledger, [id]) : [entry];
  });
  if (entries.length === 0)
    throw new StopError({
      code: 'not_found',
      message: `The book has no entry ${id}, and none that it caused: take an id or a source from \`mintrail book account\``,
    });
  print(json ? renderJson(entries.map(entryJson)) : entries.map(renderEntry).join('\n\n'));
}

/** An entry for people: what it is, then its postings. */
export function renderEntry({ id, kind, source, bookedOn, at, postings }: JournalEntry): string {
  const rows = postings.map(({ account, currency, amount }) => [account, `${formatAmount(amount)} ${currency.toUpperCase()}`]);
  return `${id}  ${kind} of ${source}, booked on ${bookedOn}, recorded at ${formatTime(at)}\n${renderTable(['account', 'amount'], rows)}`;
}
