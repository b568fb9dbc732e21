import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/**
 * A piece of work that is over, in the trace of what it was done for (docs/operations/watching.md, Traces). The id of an order is the id of its trace, so every
 * process knows the trace of the orders that it works for, and nothing about traces is stored or sent along.
 */
export interface Span {
  /** Id of the order, transaction or event whose trace it belongs to: a UUID. */
  subject: string;
  /** What was done, the same text for all of a kind. */
  name: string;
  /** Milliseconds since 1970; fractions count. */
  startedAt: number;
  /** By default now. */
  endedAt?: number;
  /** Whether the trace begins with it. All other spans of the trace are its children; it is recorded once. */
  isRoot?: boolean;
  kind?: 'server' | 'client' | 'consumer';
  /** No personal data and no secrets. What is undefined is left out. */
  attributes?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Ids of orders, transactions or events whose traces belong to it. */
  links?: readonly string[];
  /** The context of a caller who traces, too. */
  caller?: SpanPosition | undefined;
  /** Why the work failed. */
  failure?: string | undefined;
}

/** A span of a trace (W3C Trace Context, traceparent). */
export interface SpanPosition {
  /** 32 hexadecimal digits. */
  traceId: string;
  /** 16 hexadecimal digits. */
  spanId: string;
}

/** Spans of one database transaction at most: what an import of a large file does beyond them is in no trace. */
const mostHeldSpans = 10_000;

let recorder: ((span: Span) => void) | undefined;
const held = new AsyncLocalStorage<Span[]>();

/** Whether spans go anywhere. Where many are made or a look-up is needed, ask first. */
export function isTracing(): boolean {
  return recorder !== undefined;
}

/** Records a span; in a transaction, once it is committed. Does nothing while the process does not trace. */
export function recordSpan(span: Span): void {
  if (recorder === undefined) return;
  const spans = held.getStore();
  if (spans === undefined) recorder(span);
  else if (spans.length < mostHeldSpans) spans.push({ ...span, endedAt: span.endedAt ?? Date.now() });
}

/** Runs a transaction: the spans that are recorded in it count only if it succeeds. */
export async function holdSpans<T>(transaction: () => Promise<T>): Promise<T> {
  if (recorder === undefined) return transaction();
  const spans: Span[] = [];
  const result = await held.run(spans, transaction);
  for (const span of spans) recordSpan(span);
  return result;
}

/** Makes the process trace, or with undefined no longer. */
export function recordSpansBy(record: ((span: Span) => void) | undefined): void {
  recorder = record;
}

/** The first span of the trace of a UUID. Version and variant of a UUID keep either id from being zero, which would be invalid. */
export function rootPosition(subject: string): SpanPosition {
  const traceId = subject.replaceAll('-', '').toLowerCase();
  return { traceId, spanId: traceId.slice(16) };
}

/** The subject of what belongs to no order: a trace of its own. */
export function newSubject(): string {
  return randomUUID();
}

/** Reads a header `traceparent`; undefined when it is absent or not well-formed (W3C Trace Context 1, 3.2). */
export function readTraceparent(header: string | undefined): SpanPosition | undefined {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(header ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId };
}
