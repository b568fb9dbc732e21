import { sql } from 'kysely';
import { type Caller, profilesOf } from '../access/permissions.ts';
import { type EventRow, eventColumns, eventOf, type LedgerEvent } from './events.ts';
import type { Ledger } from '../ledger.ts';
import { lowestIdOfDays } from '../lowest-id.ts';

/** How far back the feed can be read. A reader who was away for longer reads the orders instead. */
export const feedDays = 7;

/**
 * How old the events are that a reader of the feed can still receive: far more than {@link feedDays}, so that those whose position comes late, after
 * an outage, are among them. Older partitions are not read.
 */
const receivedDays = 31;

/** A position in the events of all orders, which are read in the order of their positions. */
export interface FeedPosition {
  /** The cursor that a reader keeps: the id of the event at this position, or what stands for it. */
  id: string;
  position: bigint;
}

/** An event of an order, and the profile it belongs to. */
export interface FeedEvent {
  position: bigint;
  event: LedgerEvent;
  profile: { id: string; application: string | null; owner: string | null };
}

/** The position of the newest event; 0 when there is none that a reader could still receive. */
export async function newestPosition(ledger: Ledger): Promise<bigint> {
  const { rows } = await sql<{ position: bigint }>`
    select position from events where position is not null and ${isRecent('id')} order by position desc limit 1
  `.execute(ledger);
  return rows[0]?.position ?? 0n;
}

/** The position of an event of the caller's; `undefined` when there is none. */
export async function findOwnEvent(ledger: Ledger, caller: Caller, id: string): Promise<FeedPosition | undefined> {
  const { rows } = await sql<FeedPosition>`
    select id, position from events where id = ${id} and position is not null and profile in ${profilesOf(ledger, caller)}
  `.execute(ledger);
  return rows[0];
}

/**
 * Whether the feed can be read from a position on: the next event is not older than {@link feedDays}. It looks into the index of each partition,
 * because the reader may have been away for as long as events are kept.
 */
export async function isReadable(ledger: Ledger, position: bigint): Promise<boolean> {
  const { rows } = await sql<{ old: boolean }>`
    select created_at < now() - make_interval(days => ${feedDays}) as old from events where position > ${position} order by position limit 1
  `.execute(ledger);
  return rows[0]?.old !== true;
}

/** The events after a position, at most `limit`. */
export interface FeedRange {
  after: bigint;
  limit: number;
}

/** The order events of a range, of all profiles. */
export function readFeed(ledger: Ledger, range: FeedRange): Promise<FeedEvent[]> {
  return read(ledger, range, sql`true`);
}

/** The order events of a range up to the position `upTo`, of the profiles that a caller may act on, or of one of them. */
export function readOwnFeed(
  ledger: Ledger,
  { caller, profile, upTo, ...range }: FeedRange & { caller: Caller; profile: string | undefined; upTo: bigint },
): Promise<FeedEvent[]> {
  const narrowed = profile === undefined ? sql`true` : sql`e.profile = ${profile}`;
  return read(ledger, range, sql`e.position <= ${upTo} and e.profile in ${profilesOf(ledger, caller)} and ${narrowed}`);
}

type FeedRow = EventRow & { position: bigint; profile: string; application: string | null; owner: string | null };

async function read(ledger: Ledger, { after, limit }: FeedRange, condition: ReturnType<typeof sql>): Promise<FeedEvent[]> {
  const { rows } = await sql<FeedRow>`
    select ${eventColumns('e')}, e.position, e.profile, p.application, p.owner
    from events e join profiles p on p.id = e.profile
    where e.position is not null and e.position > ${after} and ${isRecent('e.id')} and e.type in ('order.created', 'order.held', 'order.updated') and ${condition}
    order by e.position limit ${limit}
  `.execute(ledger);
  return rows.map(({ position, profile, application, owner, ...row }) => ({
    position,
    event: eventOf(row),
    profile: { id: profile, application, owner },
  }));
}

function isRecent(id: string) {
  return sql<boolean>`${sql.ref(id)} >= ${lowestIdOfDays(receivedDays)}`;
}
