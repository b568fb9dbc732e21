import { z } from 'zod';
import { type Component, type Heartbeat, silentAfterSeconds } from '../ledger/lanes/heartbeats.ts';
import type { OpenLegs } from '../ledger/lanes/open-legs.ts';
import { type Chain, chainsOf } from '../platform/chains.ts';
import type { Settings } from '../platform/settings.ts';
import type { ProblemKind } from './catalogue.ts';
import { entryOf, type Problem } from './problem.ts';

/** What is known of the processes, and of the work that waits for them. */
export interface ComponentFacts {
  heartbeats: readonly Heartbeat[];
  openLegs: readonly OpenLegs[];
  networks: Settings['networks'];
  /** The present by the process's clock: problems that are known by an age in seconds began so much earlier. */
  now: Date;
}

const workerSchema = z.object({
  ok: z.boolean(),
  /** Why no endpoint answers, and since when. */
  outage: z.string().nullish(),
  since: z.coerce.date().nullish(),
  alarms: z
    .array(
      z.object({
        kind: z.string(),
        subject: z.string(),
        text: z.string(),
        since: z.coerce.date(),
        waiting: z.string().optional(),
        cause: z.string().optional(),
      }),
    )
    .optional(),
});

const indexerSchema = z.object({
  ok: z.boolean(),
  ready: z.boolean().default(false),
  block: z.string().nullish(),
  head: z.string().nullish(),
  /** Since when it is not well. */
  since: z.coerce.date().nullish(),
  /** Since when its Ponder gives no sign of life, once it counts as silent. */
  silentSince: z.coerce.date().nullish(),
  /** How its Ponder ended since it last ran well. */
  ends: z.object({ count: z.number(), since: z.coerce.date(), last: z.string() }).nullish(),
  /** Why the index is rebuilt, and the newest block of the rebuilt tables. */
  rebuild: z.object({ damage: z.string(), since: z.coerce.date(), block: z.string().nullish() }).nullish(),
  /** What is wrong with the answers of endpoints, since when in milliseconds. */
  endpoints: z
    .array(
      z.object({ kind: z.enum(['endpoint_contradicted', 'endpoint_slow']), name: z.string(), since: z.coerce.date(), text: z.string() }),
    )
    .optional(),
});

/** Ponder may end because of an outage or a full heap, and run well when it is started again. After so many ends it does not. */
const endsOfCrashing = 3;

/** What the processes report, warnings too, and which of those that are needed say nothing. */
export function componentProblems(facts: ComponentFacts): Problem[] {
  const { heartbeats, now } = facts;
  return oneOfEachCause([
    ...missingComponents(facts),
    ...heartbeats.flatMap((beat) => {
      if (beat.age >= silentAfterSeconds) return isNeeded(beat, facts) ? [silentComponent(beat, now)] : [];
      return beat.component === 'indexer' ? indexerProblems(beat, now) : workerProblems(beat, facts);
    }),
  ]);
}

/** A problem with what makes it one with others of its kind and network; by default its text. */
interface Caused extends Problem {
  cause?: string | undefined;
}

/** Of the problems of a network that have one cause the oldest, which names the others. */
function oneOfEachCause(problems: readonly Caused[]): Problem[] {
  const alike = Map.groupBy(problems, ({ kind, chain, text, cause = text }) => `${kind} ${chain} ${cause}`);
  return [...alike.values()].flatMap((all) => {
    const [oldest, ...others] = all.toSorted((a, b) => a.since.getTime() - b.since.getTime());
    if (oldest === undefined) return [];
    const { kind, chain, subject, since, text } = oldest;
    const further = [...new Set(others.filter((other) => other.text !== text).map((other) => other.subject))];
    return [{ kind, chain, subject, since, text: further.length === 0 ? text : `${text}. The same holds up ${further.join(', ')}` }];
  });
}

/**
 * Components that have never written a heartbeat: those of the configured networks, the common worker and the API from the first moment, those of other
 * networks while legs wait. The worker and the indexer of a network are one problem.
 */
function missingComponents({ heartbeats, openLegs, networks, now }: ComponentFacts): Problem[] {
  if (heartbeats.length === 0) return [missing(['common'], '', now, 'no component has written a heartbeat yet: is a worker running?')];
  const waiting = new Map<Chain | '', number>(['' as const, ...chainsOf(networks)].map((chain) => [chain, 0]));
  for (const { chain, oldestSeconds } of openLegs) waiting.set(chain, Math.max(waiting.get(chain) ?? 0, oldestSeconds));
  const isSeen = (component: Component, chain: Chain | '') =>
    heartbeats.some((beat) => beat.component === component && beat.chain === chain);
  const ofLegs = [...waiting].flatMap(([chain, seconds]) => {
    const components = (chain === '' ? (['common'] as const) : (['worker', 'indexer'] as const)).filter(
      (component) => !isSeen(component, chain),
    );
    return components.length === 0 ? [] : [neverSeen(components, chain, { seconds, now })];
  });
  return isSeen('api', '') ? ofLegs : [...ofLegs, neverSeen(['api'], '', { seconds: 0, now })];
}

/** Of a network, for which legs have waited for so many seconds; 0 when none does. */
function neverSeen(components: readonly Component[], chain: Chain | '', { seconds, now }: { seconds: number; now: Date }): Problem {
  const names = components.map((component) => `the ${nameOf(component)}`).join(' and ');
  const [have, them] = components.length === 1 ? ['has', 'it'] : ['have', 'them'];
  const legs = seconds > 0 ? `, although legs wait for ${them}` : '';
  const start = components.map((component) => startOf(component, chain)).join(' and ');
  return missing(components, chain, secondsBefore(now, seconds), `${names} ${have} never written a heartbeat${legs}: run ${start}`);
}

/** A network that is no longer configured, and on which nothing is open, needs no processes. Without any network in the settings nobody can tell. */
function isNeeded({ chain }: Heartbeat, { networks, openLegs }: ComponentFacts): boolean {
  const configured = chainsOf(networks);
  return chain === '' || configured.length === 0 || configured.includes(chain) || openLegs.some((legs) => legs.chain === chain);
}

function silentComponent({ component, chain, age }: Heartbeat, now: Date): Problem {
  const text = `the ${nameOf(component)} has written no heartbeat for ${Math.round(age)} s: read its log and ${component === 'upstream' ? 'start the sandbox again with' : 'run'} ${startOf(component, chain)}`;
  return { kind: 'worker_silent', chain, subject: component, since: secondsBefore(now, age), text };
}

/** The alarms of a worker. One that is not well says why in an alarm, except in the first moments. */
function workerProblems({ component, chain, facts, age }: Heartbeat, { openLegs, now }: ComponentFacts): Caused[] {
  const { data: seen } = workerSchema.safeParse(facts);
  const raised = (seen?.alarms ?? []).flatMap(({ kind, subject, since, text, waiting, cause }): Caused[] => {
    const legs = openLegs.find(({ state, ...ready }) => ready.chain === chain && ready.kind === waiting && state === 'ready');
    // Another lane has taken what it held up, and nothing is left with which this lane could find out whether the cause lasts.
    if (waiting !== undefined && legs === undefined) return [];
    const oldest = secondsBefore(now, legs?.oldestSeconds ?? 0);
    // A worker that was started anew raises its alarm anew, and what waits for its end has waited for longer.
    return [{ kind: kind as ProblemKind, chain, subject, since: legs !== undefined && oldest < since ? oldest : since, text, cause }];
  });
  if (raised.some(({ kind }) => entryOf(kind).severity !== 'soon') || seen?.ok === true) return raised;
  const since = seen?.since ?? secondsBefore(now, age);
  if (typeof seen?.outage === 'string')
    return [...raised, { kind: 'chain_unreachable', chain, subject: chain, since, text: `no endpoint answers: ${seen.outage}` }];
  return [
    ...raised,
    { kind: 'worker_silent', chain, subject: component, since, text: `the ${nameOf(component)} has not seen a block yet` },
  ];
}

function indexerProblems(beat: Heartbeat, now: Date): Problem[] {
  const { data: seen } = indexerSchema.safeParse(beat.facts);
  const endpoints = (seen?.endpoints ?? []).map(({ kind, name, since, text }): Problem => ({
    kind,
    chain: beat.chain,
    // The worker may name it for another method.
    subject: `indexer ${name}`,
    since,
    text: `the indexer finds that ${text}`,
  }));
  return [...positionProblems(beat, seen, now), ...endpoints];
}

/** Why the index is not as far as the chain. */
function positionProblems({ chain, age }: Heartbeat, seen: z.infer<typeof indexerSchema> | undefined, now: Date): Problem[] {
  if (seen?.rebuild) {
    const { damage, since, block } = seen.rebuild;
    const progress = positionOf({ block, head: seen.head });
    const text = `the index is damaged, as it is not what the chain says: ${damage}. Its indexer rebuilds it beside, and has read ${progress}; it takes its place by itself, and what waits is settled then`;
    return [{ kind: 'index_damaged', chain, subject: 'indexer', since, text }];
  }
  if (seen?.ends && seen.ends.count >= endsOfCrashing) {
    const { count, since, last } = seen.ends;
    const text = `Ponder has ended ${count} times without running well in between, last with ${last}: read the end of logs/ponder-${chain}.log`;
    return [{ kind: 'indexer_crashing', chain, subject: 'indexer', since, text }];
  }
  if (seen?.ok === true) return [];
  if (seen?.silentSince) {
    const text = `Ponder gives no sign of life: it has read ${positionOf(seen)}. No leg after that block is settled; the indexer restarts it after two minutes of silence`;
    return [{ kind: 'indexer_behind', chain, subject: 'indexer', since: seen.silentSince, text }];
  }
  const text =
    seen?.ready === true
      ? farFromHead(seen)
      : `the indexer reads past blocks: ${positionOf(seen)}. No leg is settled until it has read them`;
  return [{ kind: 'indexer_behind', chain, subject: 'indexer', since: seen?.since ?? secondsBefore(now, age), text }];
}

type Seen = Pick<z.infer<typeof indexerSchema>, 'block' | 'head'>;

function farFromHead(seen: Seen): string {
  const { block, head } = seen;
  if (!head)
    return (
      'no endpoint tells the indexer the newest block of the chain, so nobody knows how far behind it is: ' +
      `it has read up to block ${block ?? 'none'}, and no leg after that is settled. Try the endpoints with \`mintrail chain check\``
    );
  if (block && head && BigInt(block) > BigInt(head))
    return (
      `the indexer has read up to block ${block}, and the chain ends at block ${head}: blocks that it has read are gone, or its endpoint is behind. ` +
      'Balances may be of blocks that are gone until the chain is as far again; then compare with `mintrail reconcile`'
    );
  return `the indexer is behind: ${positionOf(seen)}. No leg after that block is settled; the indexer restarts its Ponder by itself if that comes no nearer`;
}

function positionOf(seen: Seen | undefined): string {
  return `block ${seen?.block ?? 'none'} of ${seen?.head ?? 'unknown'}`;
}

function missing(components: readonly Component[], chain: Chain | '', since: Date, text: string): Problem {
  return { kind: 'worker_missing', chain, subject: components.join(', '), since, text };
}

function nameOf(component: Component): string {
  if (component === 'api') return 'API';
  return component === 'common' ? 'common worker' : component;
}

function startOf(component: Component, chain: Chain | ''): string {
  // Not a process of its own.
  if (component === 'upstream') return '`npm start`';
  const command = component === 'api' ? 'api' : component === 'common' ? 'worker --common' : `${component} --chain ${chain}`;
  return `\`mintrail ${command}\``;
}

function secondsBefore(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000);
}
