import type { Chain } from '../../platform/chains.ts';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { createLog } from '../../platform/log.ts';
import { type Running, startLoop } from '../../platform/loop.ts';
import { networkSettings, type Settings } from '../../platform/settings.ts';
import { areRead, dropIndex, readHeartbeat, readProgress, readTables } from '../../indexed/progress.ts';
import { forgetAnswers } from '../../indexed/kept-answers.ts';
import { endRebuild, type IndexRebuild, readNumber, readRebuild, requestRebuild } from '../../ledger/lanes/index-rebuilds.ts';
import type { IndexRun } from '../../ledger/lanes/index-owners.ts';
import { rebuiltSchema, tablesSchema } from '../../indexed/schema-names.ts';
import { type IndexBuild, startIndexBuild } from './index-build.ts';
import { startIndexOwnership } from './index-ownership.ts';
import type { PonderEnds } from './ponder-runs.ts';
import { createReaders } from './readers.ts';
import { createIndexCheck } from '../comparisons/index-check.ts';

/** What the indexer of a network reports of itself. */
export interface IndexerReport {
  ready: boolean;
  /** Whether the Ponder that runs has taken over the tables. Until then they say what the one before it wrote, also that it was ready. */
  hasTakenOver: boolean;
  /** Newest indexed block. */
  block: string | null;
  /** The last sign of life of the Ponder that writes the index, here or elsewhere; undefined before it has given any. */
  sign: string | undefined;
  /** How it ended since it last ran well. */
  ends: PonderEnds | undefined;
  /** Why the index is rebuilt, and how far the rebuilt tables are; undefined while it is not. */
  rebuild: { damage: string; since: string; block: string | null } | undefined;
}

/** The last rebuild of the index, and the last sign of life of the Ponder whose tables are read. */
interface LastLook {
  last: IndexRebuild | undefined;
  sign: string | undefined;
}

/** Which network is indexed, and where its progress is reported. */
export interface IndexerOptions {
  settings: Settings;
  chain: Chain;
  /** Where all endpoints of the network answer as one. */
  endpointsUrl: string;
  /** Reads what is indexed, and lets readers read it. */
  database: TablesOwner;
  /** Called every few seconds with what is indexed so far. Answers whether that is well, whether Ponder is to be restarted, and whether an endpoint answers. */
  report: (report: IndexerReport) => Promise<{ ok: boolean; restarts: boolean; endpointsAnswer: boolean }>;
}

/** Between two looks at the index: while it is well, and while it is not. */
const looksMs = { well: 5_000, unwell: 2_000 };

/**
 * Runs Ponder for one network, as a child because it takes its commands from its own command line, and keeps it running. A damaged index is rebuilt by
 * a second one from the endpoints' answers alone, into a schema of its own, while the first goes on as far as it can. With `INDEXER_PORT`
 * it also serves the indexed rows to readers. Ponder's log goes to `<data dir>/logs/ponder-<chain>.log`. Throws `invalid_settings`, `port_in_use`.
 */
export async function runPonder({ settings, chain, endpointsUrl, database, report }: IndexerOptions): Promise<Running> {
  const network = networkSettings(settings, chain);
  const log = createLog(settings.logLevel, { process: 'indexer', chain });
  const indexName = tablesSchema(network);
  /** What this process writes; undefined while another one owns the index. */
  let writing: { current: IndexBuild; next?: IndexBuild } | undefined;
  const stopWriting = async () => {
    const { current, next } = writing ?? {};
    writing = undefined;
    await Promise.all([current?.close(), next?.close()]);
  };
  let served = indexName;
  const readers = await createReaders({ settings, network, endpointsUrl, schema: () => served, database, log });
  const ownership = startIndexOwnership({
    database,
    schema: indexName,
    log,
    onOwned: () => watch.wake(),
    onLost: () => void stopWriting(),
  });

  /**
   * Starts a rebuild that is due, and lets the rebuilt tables take the place of the damaged ones when they are complete. Returns whether they have.
   */
  const rebuild = async (
    parts: NonNullable<typeof writing>,
    { number, damage, isDue }: IndexRebuild,
    build: (number: number) => IndexBuild,
  ): Promise<boolean> => {
    if (parts.next === undefined) {
      if (!isDue) return false;
      log.error({ damage, schema: rebuiltSchema(indexName, number) }, 'the index is damaged: it is rebuilt beside');
      // Started again, it would take the views back. While it reads the past itself, nobody reads it.
      if ((await readTables(database, parts.current.schema))?.ready) parts.current.retire();
      else await parts.current.close();
      // A wrong answer may be the cause. What this rebuild has read before its process was restarted is kept.
      if ((await readHeartbeat(database, rebuiltSchema(indexName, number))) === undefined) await forgetAnswers(database, chain);
      parts.next = build(number);
    }
    const { current: damaged, next } = parts;
    if (!(await next.watch(await readHeartbeat(database, next.schema))) || !(await readTables(database, next.schema))?.ready) return false;
    await damaged.close();
    if (!(await areRead(database, chain, next.schema))) {
      await next.stop();
      return false;
    }
    parts.current = next;
    delete parts.next;
    await endRebuild(database, chain, { number });
    await dropIndex(database, damaged.schema);
    log.warn({ schema: next.schema }, 'the rebuilt index has taken the place of the damaged one');
    return true;
  };

  /**
   * Writes what is to be written, as the owner. `sign` is the last sign of life in the tables that are read. Returns whether the Ponder that runs has taken them over,
   * and whether another rebuild may be the last now.
   */
  const write = async (owner: IndexRun, { last, sign }: LastLook) => {
    const build = (number: number) =>
      startIndexBuild({ settings, network, endpointsUrl, database, owner, log }, rebuiltSchema(indexName, number));
    writing ??= { current: build(readNumber(last)) };
    const parts = writing;
    let isOther = last?.isOver === false && (await rebuild(parts, last, build));
    const hasTakenOver = await parts.current.watch(isOther ? await readHeartbeat(database, parts.current.schema) : sign);
    const ends = parts.current.runs.ends();
    if (ends && parts.current.runs.failsAtStart()) {
      const damage = { text: `Ponder has ended ${ends.count} times at its start, last with ${ends.last}`, holdsBalances: false };
      isOther = (await requestRebuild(database, { chain, indexName, damage })) || isOther;
    }
    return { hasTakenOver, isOther };
  };

  /** What the ledger and the tables that are read say now. */
  const look = async (): Promise<LastLook> => {
    const last = await readRebuild(database, chain, indexName);
    return { last, sign: await readHeartbeat(database, rebuiltSchema(indexName, readNumber(last))) };
  };

  /** The rebuild that is under way, and how far it is. */
  const describe = async (last: IndexRebuild | undefined): Promise<IndexerReport['rebuild']> => {
    if (last?.isOver !== false) return undefined;
    const rebuilt = await readTables(database, rebuiltSchema(indexName, last.number));
    return { damage: last.damage, since: last.foundAt.toISOString(), block: rebuilt?.block.toString() ?? null };
  };

  /** While nothing of the index can be read. */
  let checkTables: (() => Promise<boolean>) | undefined;
  const watch = startLoop({
    name: 'indexer',
    intervalMs: looksMs.well,
    log,
    turn: async () => {
      const before = await look();
      const owner = ownership.owner();
      const written = owner && (await write(owner, before));
      const { last, sign } = written?.isOther ? await look() : before;
      const progress = await readProgress(database, chain);
      // The worker looks less often, and a small index would be there again before.
      checkTables = owner && progress === undefined ? (checkTables ?? createIndexCheck({ ledger: database, network, log })) : undefined;
      await checkTables?.();
      const tables = rebuiltSchema(indexName, readNumber(last));
      if (served !== tables) {
        served = tables;
        await readers.restart();
      }
      if (progress) readers.start();
      const ready = progress?.ready ?? false;
      const { ok, restarts, endpointsAnswer } = await report({
        ready,
        hasTakenOver: written?.hasTakenOver ?? false,
        block: progress?.block.toString() ?? null,
        sign,
        ends: writing?.current.runs.ends(),
        rebuild: await describe(last),
      });
      writing?.current.runs.reported(ready, endpointsAnswer);
      if (restarts) await writing?.current.stop();
      return ok ? looksMs.well : looksMs.unwell;
    },
  });
  return {
    async close() {
      await watch.close();
      // Ponder ends, and only then may another write.
      await Promise.all([stopWriting(), readers.close()]);
      await ownership.close();
    },
  };
}
