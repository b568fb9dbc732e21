import { sql } from 'kysely';
import type { Chain } from '../../../platform/chains.ts';
import { StopError } from '../../../platform/errors.ts';
import type { Ledger } from '../../ledger.ts';
import { issueUnmatched } from '../credits.ts';
import { type CreditFacts, matchCredits, type RecordOptions } from '../match-credits.ts';
import { findWaitingCredit, type WaitingCredit } from './unmatched-credits.ts';
import { isMatchable, remediesOf } from './unmatched-remedies.ts';

/** Whom a credit would be issued to; or why it cannot become an order. */
export interface IssuePlan {
  profile: string | null;
  /** The name of that profile. */
  holder: string | null;
  chain: Chain | null;
  address: string | null;
  /** Why it still cannot become an order; null when it can. */
  unmatched: string | null;
}

/** Reads what {@link matchCredit} would do. Throws `not_found`, `credit_not_unmatched` and `not_possible`. */
export async function planCreditMatch(ledger: Ledger, reference: string, options: RecordOptions): Promise<WaitingCredit & IssuePlan> {
  const credit = await matchableCredit(ledger, reference);
  return { ...credit, ...(await planIssue(ledger, credit, options)) };
}

/** Reads whom a credit would be issued to, if nothing but its account decided. */
export async function planIssue(ledger: Ledger, credit: CreditFacts, options: RecordOptions): Promise<IssuePlan> {
  const { rows } = await sql<IssuePlan>`
    ${matchCredits([credit], options)}
    select m.profile, p.name as holder, m.to_chain as chain, m.to_address as address, m.unmatched
    from matched m left join profiles p on p.id = m.profile
  `.execute(ledger);
  return rows[0] as IssuePlan;
}

/**
 * Matches an unmatched credit again and makes it an order, once, which it returns. Throws `not_found`, `credit_not_unmatched`,
 * `not_possible`, and `not_possible` with the reason when nothing has changed.
 */
export async function matchCredit(ledger: Ledger, reference: string, options: RecordOptions) {
  const credit = await matchableCredit(ledger, reference);
  const { orderId, chain } = (await issueUnmatched(ledger, [credit], options)).get(reference) ?? {};
  if (orderId && chain) return { reference, orderId, chain };
  // Throws when another operator has matched or returned it in the meantime.
  const { unmatched } = await planIssue(ledger, await findWaitingCredit(ledger, reference), options);
  const why = unmatched ?? 'it changed just now; try again';
  throw new StopError({ code: 'not_possible', message: `${reference} still cannot become an order: ${why}` });
}

async function matchableCredit(ledger: Ledger, reference: string): Promise<WaitingCredit> {
  const credit = await findWaitingCredit(ledger, reference);
  const { railReason, reason } = credit;
  if (isMatchable(railReason)) return credit;
  const message = `${reference} cannot become an order: ${reason}. ${remediesOf(railReason).join(', or ')}`;
  throw new StopError({ code: 'not_possible', message });
}
