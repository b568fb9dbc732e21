import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import type { StatementItem } from '../../../../src/bank/iso20022/camt/statement-item.ts';
import { StopError } from '../../../../src/platform/errors.ts';
import { statementXml } from './statement-xml.ts';
import type { StatementSpec } from './statement-xml.ts';

/** All items of a file given as text, bytes or pieces of either. */
export async function read(...chunks: (string | Uint8Array)[]): Promise<StatementItem[]> {
  return collect(readStatement(stream(chunks)));
}

export async function collect(items: AsyncIterable<StatementItem>): Promise<StatementItem[]> {
  const collected: StatementItem[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

export async function readSpec(spec: StatementSpec): Promise<StatementItem[]> {
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

export function credits(items: StatementItem[]) {
  return items.flatMap((item) => (item.kind === 'credit' ? item.credit : []));
}

export function unmatched(items: StatementItem[]) {
  return items.flatMap((item) => (item.kind === 'unmatched' ? item.unmatched : []));
}

/** The references of all money, in order. */
export function references(items: StatementItem[]): string[] {
  return items.flatMap((item) => {
    if (item.kind === 'skipped') return [];
    return item.kind === 'credit' ? item.credit.reference : item.unmatched.reference;
  });
}

/** One word per item: `credit`, or the reason. */
export function outcomes(items: StatementItem[]): string[] {
  return items.map((item) => {
    if (item.kind === 'credit') return 'credit';
    return item.kind === 'unmatched' ? item.unmatched.reason : item.skipped.reason;
  });
}

export async function* stream(chunks: Iterable<string | Uint8Array>): AsyncGenerator<string | Uint8Array> {
  yield* chunks;
}
