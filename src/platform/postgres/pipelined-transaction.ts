import type { QueryExecutorProvider, RawBuilder } from 'kysely';
import type { Pool } from 'pg';
import { camelCaseKeys } from '../database.ts';

/** Sends a statement behind those before it, without waiting for their answers, and returns its rows. The keys of rows are camelCase. */
export type Send = <Row>(statement: RawBuilder<Row>) => Promise<Row[]>;

/** A database transaction whose statements are sent together: what is sent without a wait in between costs one round trip. */
export interface PipelinedTransaction {
  send: Send;
  /** Commits. It may be sent together with the last statement: when that fails, nothing is committed, and this fails too. */
  commit: () => Promise<void>;
}

/** Where {@link inPipelinedTransaction} runs: `pool` sends pipelined, `database` compiles the statements. */
export interface PipelinedDatabase {
  pool: Pool;
  database: QueryExecutorProvider;
}

/** What a process has locked is free again so many milliseconds after it has fallen silent. */
const silentProcessMs = 5_000;

/** The server gives a statement up after so many milliseconds: later than the locks of a silent process are free, earlier than callers give up. */
const statementTimeoutMs = 6_000;

/**
 * Statements are planned once and look rows up by indexes, however many a table had then. PostgreSQL would plan a statement on a small set anew each time,
 * which takes longer than to execute it, and read the whole of a table that was small when it was planned.
 */
const beginning = `
  begin;
  set local plan_cache_mode = force_generic_plan;
  set local enable_seqscan = off;
  set local idle_in_transaction_session_timeout = ${silentProcessMs};
  set local statement_timeout = ${statementTimeoutMs}`;

/** Runs `work` in a database transaction that sends its beginning together with the first statements. What `work` has not committed is undone. */
export async function inPipelinedTransaction<Result>(
  { pool, database }: PipelinedDatabase,
  work: (transaction: PipelinedTransaction) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let isCommitted = false;
  let answersBefore: Promise<unknown> = Promise.resolve();
  // A statement that fails makes those behind it fail, too. So answers are passed on in their order: the first error is the cause.
  const query = async (text: string, values?: unknown[]) => {
    const before = answersBefore;
    const answer = client.query<Record<string, unknown>>(text, values);
    answersBefore = Promise.allSettled([before, answer]);
    await before;
    return answer;
  };
  query(beginning).catch(() => {});
  try {
    return await work({
      async send<Row>(statement: RawBuilder<Row>) {
        const { sql, parameters, queryId } = statement.compile(database);
        const { rows } = await query(sql, [...parameters]);
        return (await camelCaseKeys.transformResult({ result: { rows }, queryId })).rows as Row[];
      },
      async commit() {
        // PostgreSQL answers the commit of a failed transaction with ROLLBACK.
        const { command } = await query('commit');
        if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because one of its statements failed');
        isCommitted = true;
      },
    });
  } finally {
    // Nobody waits for the undoing: the connection is given back when all that was sent is answered.
    if (isCommitted) client.release();
    else
      void query('rollback').then(
        () => client.release(),
        (error: Error) => client.release(error),
      );
  }
}
