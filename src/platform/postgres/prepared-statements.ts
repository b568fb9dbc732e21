import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ClientBase, QueryConfig, QueryResult } from 'pg';

/** Texts that a process remembers. The service sends some hundreds; the rest is room for those that are different each time. */
const maxTexts = 2_000;

/** Statements that a connection keeps prepared: each takes some ten to a hundred kilobytes of the server's memory. */
const maxPrepared = 300;

/** Whether it is "cached plan must not change result type": a column that the statement returns has another type than when it was prepared. */
export function isOutdatedPlan(error: unknown): boolean {
  return (error as { code?: string }).code === '0A000';
}

/** What is known of a text: the name of its prepared statement, and whether it is prepared the next time. */
const texts = new LRUCache<string, { name: string; isPrepared: boolean }>({ max: maxTexts });

/**
 * Makes a connection prepare each statement with parameters that the process sends again, so that the server parses it once and mostly plans it once.
 * The first time it is sent unprepared: a text that never comes again costs nothing.
 */
export function prepareRepeated(client: ClientBase): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => Promise<QueryResult>;
  const prepared = new Set<string>();
  client.query = ((statement: unknown, values?: unknown, ...rest: unknown[]) => {
    const hasParameters = typeof statement === 'string' && Array.isArray(values) && values.length > 0;
    const name = hasParameters ? nameOfRepeated(statement) : undefined;
    if (name === undefined || (prepared.size >= maxPrepared && !prepared.has(name))) return query(statement, values, ...rest);
    prepared.add(name);
    const config: QueryConfig = { name, text: statement as string, values: values as unknown[] };
    if (rest.length > 0) return query(config, ...rest);
    const isAlone = client.getTransactionStatus() === 'I';
    return query(config).catch((error) => {
      if (!isOutdatedPlan(error)) throw error;
      forget(config.text);
      // Within a transaction the whole transaction has failed with it.
      if (!isAlone) throw error;
      return query(config.text, config.values);
    });
  }) as typeof client.query;
}

function nameOfRepeated(text: string): string | undefined {
  const known = texts.get(text);
  if (known !== undefined) return known.isPrepared ? known.name : undefined;
  const name = createHash('sha256').update(text).digest('base64url').slice(0, 22);
  texts.set(text, { name, isPrepared: true });
  return undefined;
}

/** A statement whose columns have changed is not prepared again. */
function forget(text: string): void {
  const known = texts.get(text);
  if (known !== undefined) known.isPrepared = false;
}
