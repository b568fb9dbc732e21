import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** How attempts of a kind are slowed down. */
interface Slowdown {
  /** Attempts before the first pause. With 0 the first attempt only begins a pause, and is turned away. */
  free: number;
  /** The first pause. Each further attempt doubles it, up to the longest. */
  firstPauseSeconds: number;
  longestPauseSeconds: number;
  /** The count begins anew when this time has passed since its first attempt. */
  windowMinutes: number;
}

/** Enough for somebody who has forgotten which password it was, and some thirty guesses a day. */
const guesses: Slowdown = { free: 5, firstPauseSeconds: 30, longestPauseSeconds: 3_600, windowMinutes: 24 * 60 };

const slowdowns: Record<AttemptSubject['kind'], Slowdown> = {
  account: guesses,
  device: guesses,
  // Nobody gets here without the password. The codes of an app are short, and whoever guesses them may have many network addresses.
  codes: { free: 50, firstPauseSeconds: 60, longestPauseSeconds: 3_600, windowMinutes: 24 * 60 },
  // Many people may share a network address.
  source: { free: 50, firstPauseSeconds: 10, longestPauseSeconds: 900, windowMinutes: 15 },
  // Where a network address is paused, each browser behind it that asks for a mail has to wait on its own, before the first one too: strangers pay
  // for each mail with that time, and delay nobody else by more than the first pause.
  browser: { free: 0, firstPauseSeconds: 120, longestPauseSeconds: 3_600, windowMinutes: 60 },
  // Notices of new sign-ins, of which the first ones say enough.
  notice: { free: 5, firstPauseSeconds: 24 * 3_600, longestPauseSeconds: 24 * 3_600, windowMinutes: 24 * 60 },
};

/**
 * What is counted together: the attempts of one network address at one account, those of one device that the account's owner has used, all
 * from one network address, the mails that one browser asks for where its network address is paused, or the notices to one user. No count of passwords is of an account alone, because then
 * anybody could lock its owner out; one of the codes that follow a right password is, on devices that are not known.
 */
export interface AttemptSubject {
  kind: 'account' | 'device' | 'codes' | 'source' | 'browser' | 'notice';
  name: string;
}

/**
 * Counts an attempt for each subject. To be called before the attempt, so that many at the same time are all counted. Returns the seconds to
 * wait when a subject has to pause, else 0. An attempt during a pause is not counted.
 */
export async function countSignInAttempt(ledger: Ledger, subjects: readonly AttemptSubject[]): Promise<number> {
  let waitSeconds = 0;
  for (const subject of subjects) {
    waitSeconds = await countAttempt(ledger, subject);
    if (waitSeconds > 0) break;
  }
  await clearExpired(ledger, 'signInTries');
  return waitSeconds;
}

/**
 * Counts a mail with a code that somebody asks for. The others behind a network address, or whoever pretends to be many browsers there, delay it, but
 * do not prevent it: then this browser has to wait for a time of its own. Returns the seconds to wait, else 0.
 */
export async function countMailAttempt(ledger: Ledger, { browser, network }: { browser: string; network: string }): Promise<number> {
  if ((await countSignInAttempt(ledger, [{ kind: 'source', name: `mail ${network}` }])) === 0) return 0;
  return countSignInAttempt(ledger, [{ kind: 'browser', name: browser }]);
}

/** Takes back what was counted for an attempt that succeeded: the count of an account or a device starts anew, that of a source is one less. */
export async function forgetSignInAttempts(ledger: Ledger, subjects: readonly AttemptSubject[]): Promise<void> {
  for (const subject of subjects) {
    if (subject.kind === 'source')
      await sql`update sign_in_tries set tries = tries - 1, blocked_until = null where subject = ${keyOf(subject)}`.execute(ledger);
    else await ledger.deleteFrom('signInTries').where('subject', '=', keyOf(subject)).execute();
  }
}

/** What somebody reads who has to pause. */
export function waitText(seconds: number): string {
  return `Too many attempts. Wait ${seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`} and try again.`;
}

async function countAttempt(ledger: Ledger, subject: AttemptSubject): Promise<number> {
  const { free, firstPauseSeconds, longestPauseSeconds, windowMinutes } = slowdowns[subject.kind];
  const first = free === 0 ? { tries: 0, pauseSeconds: firstPauseSeconds } : { tries: 1, pauseSeconds: null };
  const { rows } = await sql<{ isAllowed: boolean }>`
    insert into sign_in_tries as t (subject, tries, until, blocked_until)
    values (${keyOf(subject)}, ${first.tries}, now() + make_interval(mins => ${windowMinutes}), now() + make_interval(secs => ${first.pauseSeconds}))
    on conflict (subject) do update set
      tries = case when t.until <= now() then 1 else t.tries + 1 end,
      blocked_until = case
        when t.until <= now() then null
        when t.tries + 1 >= ${free}::int then now() + make_interval(
          secs => least(${longestPauseSeconds}::int, ${firstPauseSeconds}::int * 2 ^ least(t.tries + 1 - ${free}::int, 16)))
      end,
      until = case when t.until <= now() then excluded.until else t.until end
    where t.until <= now() or t.blocked_until is null or t.blocked_until <= now()
    returning tries > 0 as "isAllowed"
  `.execute(ledger);
  return rows[0]?.isAllowed === true ? 0 : secondsOfPause(ledger, subject);
}

/** What is left of the pause of a subject; 1 at least, as it has just turned an attempt away. */
async function secondsOfPause(ledger: Ledger, subject: AttemptSubject): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select ceil(extract(epoch from least(blocked_until, until) - now()))::int as seconds from sign_in_tries where subject = ${keyOf(subject)}
  `.execute(ledger);
  return Math.max(1, rows[0]?.seconds ?? 1);
}

function keyOf({ kind, name }: AttemptSubject): string {
  return `${kind} ${name.toLowerCase()}`;
}
