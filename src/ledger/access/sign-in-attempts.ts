import { sql } from 'kysely';
import { clearExpired } from './expired-rows.ts';
import type { Ledger } from '../ledger.ts';

/** The window in which tries are counted. */
const windowMinutes = 15;

/** Tries within the window: enough for somebody who has forgotten which password it was, too few to guess one. */
const maxAttempts = { account: 10, address: 50 };

/** What is counted: tries against one account, and tries from one network address. */
export interface AttemptSubject {
  kind: keyof typeof maxAttempts;
  name: string;
}

/**
 * Counts a try before it is made, so that many at once do not slip through. Answers the seconds to wait when there were too many
 * of any of them, else 0.
 */
export async function countSignInAttempt(ledger: Ledger, tried: readonly AttemptSubject[]): Promise<number> {
  let wait = 0;
  for (const one of tried) {
    const { rows } = await sql<{ tries: number; seconds: number }>`
      insert into sign_in_tries as t (subject, tries, until) values (${subjectOf(one)}, 1, now() + make_interval(mins => ${windowMinutes}))
      on conflict (subject) do update set
        tries = case when t.until <= now() then 1 else t.tries + 1 end,
        until = case when t.until <= now() then excluded.until else t.until end
      returning tries, ceil(extract(epoch from until - now()))::int as seconds
    `.execute(ledger);
    const [counted] = rows;
    if (counted && counted.tries > maxAttempts[one.kind]) wait = Math.max(wait, counted.seconds);
  }
  await clearExpired(ledger, 'signInTries');
  return wait;
}

/** Forgets the tries against an account whose owner has signed in. */
export async function forgetSignInAttempts(ledger: Ledger, tried: AttemptSubject): Promise<void> {
  await ledger.deleteFrom('signInTries').where('subject', '=', subjectOf(tried)).execute();
}

function subjectOf({ kind, name }: AttemptSubject): string {
  return `${kind} ${name.toLowerCase()}`;
}
