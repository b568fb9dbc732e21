import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import type { StatementEntry, StatementItem } from '../../../../src/bank/iso20022/camt/entry.ts';
import type { ReturnedPayment } from '../../../../src/bank/iso20022/camt/returned-payment.ts';
import { StopError } from '../../../../src/platform/errors.ts';
import { statementXml } from './statement-xml.ts';
import type { StatementSpec } from './statement-xml.ts';

/** All items of a file given as text, bytes or pieces of either. */
export async function read(...chunks: (string | Uint8Array)[]): Promise<Item[]> {
  return collect(readStatement(stream(chunks)));
}

/** What an entry holds, with that entry. */
type Item = StatementItem & { entry: StatementEntry['source'] };

export async function collect(entries: AsyncIterable<StatementEntry>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const { source: entry, items } of entries) collected.push(...items.map((item) => Object.assign(item, { entry })));
  return collected;
}

export async function readSpec(spec: StatementSpec): Promise<Item[]> {
  return read(statementXml(spec));
}

/** The error that refuses a file. */
export async function refusalOf(...chunks: (string | Uint8Array)[]): Promise<StopError> {
  try {
    await read(...chunks);
  } catch (error) {
    if (error instanceof StopError) return error;
    throw error;
  }
  throw new Error('the file was read, though it should have been refused');
}

/** The credits that can become orders, without the bank's numbers of them. */
export function credits(items: StatementItem[]) {
  return items.flatMap((item) => {
    if (item.kind !== 'credit' || item.credit.railReason !== undefined) return [];
    const { number: _, ...credit } = item.credit;
    return credit;
  });
}

/** The credits that cannot, with the reason, and what else is known of them, as their own. */
export function unmatched(items: StatementItem[]) {
  return items.flatMap((item) => {
    if (item.kind !== 'credit' || item.credit.railReason === undefined) return [];
    const { railReason: reason, unmatched: detail, facts, number: _, ...credit } = item.credit;
    return { ...credit, reason, detail, ...(facts as { amountText?: string; returned?: ReturnedPayment }) };
  });
}

/** The references of all money, in order. */
export function references(items: StatementItem[]): string[] {
  return items.flatMap((item) => (item.kind === 'skipped' ? [] : item.credit.reference));
}

/** One word per item: `credit`, or the reason. */
export function outcomes(items: StatementItem[]): string[] {
  return items.map((item) => (item.kind === 'credit' ? (item.credit.railReason ?? 'credit') : item.skipped.reason));
}

export async function* stream(chunks: Iterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}
