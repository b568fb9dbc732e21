import { sql } from 'kysely';
import type { Ledger } from '../../ledger.ts';

/** How many orders were placed, and how long they took. */
export interface OrderActivity {
  /** Orders that were placed in each minute of the last hour that had any; the oldest first. */
  minutes: { minute: Date; placed: number }[];
  /** Of the orders of the last hour that are processed: seconds from placing to the end. Null without any. */
  medianSeconds: number | null;
  slowestTwentiethSeconds: number | null;
  /** Whether there were more orders than are looked at: then the hour is shorter. */
  isShortened: boolean;
}

/** Orders that are looked at: the cost of reading is bounded, whatever the hour brought. */
const mostOrders = 10_000;

/** The activity of the last hour. Costs at most {@link mostOrders} rows. */
export async function readOrderActivity(ledger: Ledger): Promise<OrderActivity> {
  const { rows } = await sql<{
    minutes: { minute: string; placed: number }[];
    medianSeconds: number | null;
    slowestTwentiethSeconds: number | null;
    count: number;
  }>`
    with newest as materialized (
      select placed_at, processed_at from orders where placed_at > now() - interval '1 hour' order by placed_at desc limit ${mostOrders}
    ), minutes as (
      select date_trunc('minute', placed_at) as minute, count(*)::int as placed from newest group by 1
    )
    select
      (select coalesce(json_agg(json_build_object('minute', minute, 'placed', placed) order by minute), '[]') from minutes) as minutes,
      percentile_cont(0.5) within group (order by extract(epoch from processed_at - placed_at))::float8 as "medianSeconds",
      percentile_cont(0.95) within group (order by extract(epoch from processed_at - placed_at))::float8 as "slowestTwentiethSeconds",
      count(*)::int as count
    from newest
  `.execute(ledger);
  const [row] = rows;
  return {
    minutes: (row?.minutes ?? []).map(({ minute, placed }) => ({ minute: new Date(minute), placed })),
    medianSeconds: row?.medianSeconds ?? null,
    slowestTwentiethSeconds: row?.slowestTwentiethSeconds ?? null,
    isShortened: row?.count === mostOrders,
  };
}
