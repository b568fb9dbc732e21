import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** Attempts are counted in windows of this length, each of which begins with the first attempt. */
const windowMinutes = 15;

/** The most attempts in a window: enough for somebody who has forgotten which password it was, too few to guess one. */
const maxAttempts = { account: 10, address: 50 };

/** Whose attempts are counted together: those to sign in to one account, or those from one network address. */
export interface AttemptSubject {
  kind: keyof typeof maxAttempts;
  name: string;
}

/**
 * Counts an attempt for each subject. To be called before the attempt, so that many at the same time are all counted. Returns the seconds to
 * wait when a subject has had too many, else 0.
 */
export async function countSignInAttempt(ledger: Ledger, subjects: readonly AttemptSubject[]): Promise<number> {
  let waitSeconds = 0;
  for (const subject of subjects) {
    const { rows } = await sql<{ tries: number; seconds: number }>`
      insert into sign_in_tries as t (subject, tries, until) values (${keyOf(subject)}, 1, now() + make_interval(mins => ${windowMinutes}))
      on conflict (subject) do update set
        tries = case when t.until <= now() then 1 else t.tries + 1 end,
        until = case when t.until <= now() then excluded.until else t.until end
      returning tries, ceil(extract(epoch from until - now()))::int as seconds
    `.execute(ledger);
    const [counted] = rows;
    if (counted && counted.tries > maxAttempts[subject.kind]) waitSeconds = Math.max(waitSeconds, counted.seconds);
  }
  await clearExpired(ledger, 'signInTries');
  return waitSeconds;
}

/** Starts the count of a subject anew: the owner of the account has signed in. */
export async function forgetSignInAttempts(ledger: Ledger, subject: AttemptSubject): Promise<void> {
  await ledger.deleteFrom('signInTries').where('subject', '=', keyOf(subject)).execute();
}

function keyOf({ kind, name }: AttemptSubject): string {
  return `${kind} ${name.toLowerCase()}`;
}
