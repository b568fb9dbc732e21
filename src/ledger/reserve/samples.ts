import { sql } from 'kysely';
import type { Chain } from '../../platform/chains.ts';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import type { Ledger } from '../ledger.ts';

/** Between two samples: those of a minute are kept for a day, those of an hour for a quarter. */
export type SampleStep = 'minute' | 'hour';

/** The reserve of a currency at a time, in minor units. */
export interface ReserveSample {
  currency: string;
  /** As booked by the bank. */
  bank: MinorUnits;
  /** Money that is neither tokens nor gone. */
  underWay: MinorUnits;
  /** Tokens in circulation, by network. */
  circulation: Partial<Record<Chain, MinorUnits>>;
}

/** A sample, and the beginning of its minute or hour. */
export interface TakenSample extends ReserveSample {
  takenAt: Date;
}

const keptMinutes = 24 * 60;
const keptHours = 92 * 24;

/** Records the samples of this minute, and of this hour if it has none, and deletes those that are too old. Of two workers the first records. */
export async function recordReserveSamples(ledger: Ledger, samples: readonly ReserveSample[]): Promise<void> {
  const rows = samples.map(({ currency, bank, underWay, circulation }) => ({
    currency,
    bank: bank.toString(),
    under_way: underWay.toString(),
    circulation: Object.fromEntries(Object.entries(circulation).map(([chain, amount]) => [chain, amount.toString()])),
  }));
  await sql`
    with old as (
      delete from reserve_samples
      where step = 'minute' and taken_at < now() - make_interval(mins => ${keptMinutes}::int)
        or step = 'hour' and taken_at < now() - make_interval(hours => ${keptHours}::int)
    )
    insert into reserve_samples (step, taken_at, currency, bank, under_way, circulation)
    select step, date_trunc(step, now()), s.currency, s.bank, s.under_way, s.circulation
    from (values ('minute'), ('hour')) steps (step)
    cross join jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) s (currency text, bank bigint, under_way bigint, circulation jsonb)
    on conflict do nothing
  `.execute(ledger);
}

/** The samples of a currency of the last minutes or hours, one for each `every` steps; the oldest first. */
export async function listReserveSamples(
  ledger: Ledger,
  { currency, step, steps, every }: { currency: string; step: SampleStep; steps: number; every: number },
): Promise<TakenSample[]> {
  const stepSeconds = step === 'minute' ? 60 : 3600;
  const { rows } = await sql<{ takenAt: Date; bank: string; underWay: string; circulation: Record<string, string> }>`
    select taken_at as "takenAt", bank::text, under_way::text as "underWay", circulation from reserve_samples
    where step = ${step} and currency = ${currency} and taken_at > now() - make_interval(secs => ${steps * stepSeconds}::int)
      and extract(epoch from taken_at)::bigint / ${stepSeconds}::int % ${every}::int = 0
    order by taken_at
  `.execute(ledger);
  return rows.map(({ takenAt, bank, underWay, circulation }) => ({
    currency,
    takenAt,
    bank: minorUnits(BigInt(bank)),
    underWay: minorUnits(BigInt(underWay)),
    circulation: Object.fromEntries(Object.entries(circulation).map(([chain, amount]) => [chain, minorUnits(BigInt(amount))])),
  }));
}
