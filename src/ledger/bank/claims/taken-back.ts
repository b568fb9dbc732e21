import { sql } from 'kysely';
import type { MinorUnits } from '../../../platform/money.ts';
import { accounts } from '../../book/accounts.ts';
import { bookEntries, recordEntries } from '../../book/entries.ts';
import type { LedgerTransaction } from '../../ledger.ts';
import { rejectTakenBack } from '../../orders/lifecycle.ts';
import { decidePayments } from '../payment-decisions.ts';
import { currentReversal, explainedSource } from '../../book/reversal-source.ts';
import { type CreditStanding, creditsChanged, endsWithCredit, findStandings, wholeCredit } from '../credit-standing.ts';

/** A credit that was taken back. */
export interface TakenBack {
  credit: string;
  orderId: string | null;
  /** What that did: nothing was lost (`reversed`), it is not known yet (`pending`), or the money is lost unless it is paid (`claim`). */
  effect: 'reversed' | 'pending' | 'claim';
}

/** Where the money of a credit is now: in one of the book's liabilities, the operator's, on its way to tokens or to the payer (`moving`), or there already (`gone`). */
type MoneyLocation = 'suspense' | 'issue' | 'return' | 'operator' | 'moving' | 'gone';

/**
 * Takes the credits back that a debit reverses, each as a whole; together they come to the debit, which is a difference in the book before, as they count or as the bank has booked
 * them: then their rests, and what the bank kept of them, end with them. The caller has
 * locked the credits by `lockCredits`, and then the debit. Money that has not gone on stops here: an unmatched credit ends, an order whose leg no
 * transaction has ever carried is rejected, a return that is not sent is not made. A lane that claims the leg at the same moment finds it void, or was
 * faster. Where the money has gone on already, or is on its way, a claim is recorded. While a recovery is open nobody knows whether a leg was carried out:
 * it is not sent any more, and the claim waits for the end of the recovery. Throws `import_busy` when one of the credits has ended meanwhile, or another
 * debit has taken it or a part of it back.
 */
export async function takeCreditsBack(
  tx: LedgerTransaction,
  {
    debit,
    amount: debited,
    credits: named,
    reason,
    bookedOn,
  }: { debit: string; amount: MinorUnits; credits: readonly string[]; reason: string; bookedOn: string },
): Promise<TakenBack[]> {
  const text = `the bank took the credit back: ${reason}`;
  const locked = await withoutReadyReturns(tx, await lockCredits(tx, named), text);
  const isAsBooked = sumOf(named.map((credit) => locked.get(credit)?.amount)) !== debited;
  const credits = isAsBooked ? [...named, ...named.flatMap((credit) => locked.get(credit)?.rests ?? [])] : named;
  const kept = isAsBooked ? await endKept(tx, named) : 0n;
  if (sumOf(credits.map((credit) => locked.get(credit)?.amount)) - kept !== debited) throw creditsChanged(credits);
  const taken: TakenBack[] = [];
  for (const [index, credit] of credits.toSorted().entries()) {
    const standing = wholeCredit(locked.get(credit));
    if (standing === undefined) throw creditsChanged([credit]);
    const reference = credits.length === 1 ? debit : `${debit}#credit-${index + 1}`;
    const { currency, amount } = standing;
    const original = locked.get(standing.reopened ?? '');
    taken.push(await takeBack(tx, { reference, debit, credit, bookedOn, currency, amount }, { ...standing, original }, text));
  }
  return taken;
}

function sumOf(amounts: readonly (MinorUnits | null | undefined)[]): bigint {
  return amounts.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n);
}

/** Ends what the bank kept of credits, which it takes back: nobody has got it. What an operator has paid of it comes back to the operator. Returns what that comes to. */
export async function endKept(tx: LedgerTransaction, credits: readonly string[]): Promise<bigint> {
  const { rows } = await sql<{ amount: MinorUnits }>`
    with ended as (
      update bank_debits k set state = 'reversal', problem = null, explained_as = null, explanation = null, explained_by = null, explained_at = null
      where kept_of = any(${credits}::text[]) and ${endsWithCredit} returning *, old.state = 'explained' as was_explained
    ), ${bookEntries(sql`
      select 'reversal-undone' as kind, ${explainedSource('e')} as source, booked_on, ${accounts.differences} as debit, ${accounts.operator} as credit, currency, amount
      from ended e where was_explained`)}
    select amount from ended
  `.execute(tx);
  return sumOf(rows.map(({ amount }) => amount));
}

/** Money of a credit that a debit takes back. `reference` is that of the reversal. */
interface TakenMoney {
  reference: string;
  debit: string;
  credit: string;
  bookedOn: string;
  currency: string;
  amount: MinorUnits;
}

/**
 * Claims a part of a credit that a debit takes back. The credit stays what it is: what is owed for it is owed in full, and the claim is open at once,
 * wherever its money is. The debit is a difference in the book before.
 */
export async function claimPart(tx: LedgerTransaction, part: Omit<TakenMoney, 'reference'>): Promise<void> {
  const { debit, credit, amount } = part;
  await tx.insertInto('reversals').values({ reference: debit, debit, credit, amount, isPart: true }).execute();
  await recordClaim(tx, { ...part, reference: debit }, 'open');
}

/** A credit, and the one that waits again because it brought its return back. */
interface Standing extends CreditStanding {
  original: CreditStanding | undefined;
}

async function takeBack(tx: LedgerTransaction, taken: TakenMoney, standing: Standing, text: string): Promise<TakenBack> {
  const { reference, debit, credit, bookedOn, currency, amount } = taken;
  const { orderId } = standing;
  await tx.insertInto('reversals').values({ reference, debit, credit, amount }).execute();
  const location = await locateMoney(tx, standing);
  if (location === 'moving' || location === 'gone') {
    await recordClaim(tx, taken, location === 'moving' ? 'pending' : 'open');
    return { credit, orderId, effect: location === 'moving' ? 'pending' : 'claim' };
  }
  if (location !== 'suspense' && orderId !== null) await rejectTakenBack(tx, orderId, text);
  await endCredit(tx, standing, text);
  const source = await currentReversal(tx, reference);
  await recordEntries(tx, [
    { kind: 'credit-reversed', source, bookedOn, debit: accounts[location], credit: accounts.differences, currency, amount },
    ...givenBackToOperator(source, currency, standing),
  ]);
  return { credit, orderId, effect: 'reversed' };
}

async function recordClaim(tx: LedgerTransaction, taken: TakenMoney, state: 'pending' | 'open'): Promise<void> {
  const { reference, credit, bookedOn, currency, amount } = taken;
  await tx.insertInto('claims').values({ reversal: reference, credit, currency, amount, state, reason: null }).execute();
  const source = await currentReversal(tx, reference);
  await recordEntries(tx, [
    { kind: 'credit-reversed', source, bookedOn, debit: accounts.claims, credit: accounts.differences, currency, amount },
  ]);
}

/** Refuses the returns of locked credits that are not sent yet, which makes the credits unmatched. */
async function withoutReadyReturns(tx: LedgerTransaction, locked: Map<string, CreditStanding>, refused: string) {
  const ready = [...locked.values()].flatMap(({ payment, paymentState }) =>
    payment !== null && paymentState === 'ready' ? [{ id: payment, refused }] : [],
  );
  if (ready.length === 0) return locked;
  await decidePayments(tx, ready, ['ready']);
  return lockCredits(tx, [...locked.keys()]);
}

async function locateMoney(tx: LedgerTransaction, standing: Standing): Promise<MoneyLocation> {
  const { state, orderId, paymentState, awaitsDebit, original, currency, restOf, settledAs } = standing;
  if (state === 'unmatched') return 'suspense';
  if (restOf !== null && state === 'settled' && settledAs !== 'return') return 'operator';
  // What came back is the money of the credit that was returned, as long as that waits.
  if (state === 'settled') return original?.state === 'unmatched' && original.currency === currency ? 'suspense' : 'gone';
  if (paymentState === 'sent') return 'moving';
  // An operator wanted to send the money back, and the bank did it first.
  if (state === 'returned' && awaitsDebit) return 'return';
  if (paymentState === 'accepted' || state === 'returned' || orderId === null) return 'gone';
  // A transaction that was cancelled, lost or reverted may still carry the leg out after a reorganisation. After a restore, the chain may have issued the tokens of a leg
  // that is ready, or is not compared in full yet (docs/restore.md, What stops).
  const { rows } = await sql<{ location: MoneyLocation }>`
    select case
      when i.state = 'done' then 'gone'
      when i.state = 'refused' and b.state = 'ready' then 'return'
      when i.state = 'ready' and not exists (select from leg_failures f where f.leg = i.id and f.transaction is not null)
        and not exists (select from recoveries where ended_at is null)
        and not exists (
          select from unrecorded_outcomes u join leg_history l on l.order_id = u.order_id and l.kind = 'issue'
          where u.order_id = i.order_id and u.kind = 'issue' and u.state <> 'applied' and l.chain = u.chain and l.account = u.account and l.amount = u.amount)
        then 'issue'
      else 'moving' end as location
    from legs i left join legs b on b.order_id = i.order_id and b.kind = 'return' where i.order_id = ${orderId} and i.kind = 'issue'
  `.execute(tx);
  return rows[0]?.location ?? 'moving';
}

/**
 * `unmatched`, `matched`, `returned` where no debit has returned it yet, or `settled` as a return -> `reversed`. The payment that the credit brought back is with its payee
 * again, and may come back by another credit: `returned` -> `accepted`. The credit that it returns is returned again: `unmatched` -> `returned`.
 */
async function endCredit(tx: LedgerTransaction, { reference, reopened }: CreditStanding, text: string): Promise<void> {
  const { rows } = await sql`
    with accepted as (
      update payments set state = 'accepted', came_back_by = null, returned_at = null, reason = null where came_back_by = ${reference} and state = 'returned'
    ), returned as (
      update credits set state = 'returned', returned_at = now(), reason = null where reference = ${reopened} and state = 'unmatched'
    )
    update credits set state = 'reversed', reason = ${text}, added_by_operator = null, awaits_debit = false, settled_as = null, settled_at = null
    where reference = ${reference} and (state in ('unmatched', 'matched') or (state = 'returned' and awaits_debit) or settled_as = 'return' or (state = 'settled' and rest_of is not null)) returning reference
  `.execute(tx);
  if (rows.length === 0) throw creditsChanged([reference]);
}

/** What an operator added to a payment that came back is the operator's again. */
function givenBackToOperator(source: string, currency: string, { addedByOperator, state }: CreditStanding) {
  if (addedByOperator === null) return [];
  // The credit may have the reference of the debit, and have caused the entry that this one undoes.
  const [from, cause] = state === 'matched' ? [accounts.issue, source] : [accounts.suspense, `${source}#reversed`];
  const [debited, credited] = addedByOperator > 0n ? [from, accounts.operator] : [accounts.operator, from];
  const amount = (addedByOperator > 0n ? addedByOperator : 0n - addedByOperator) as MinorUnits;
  return [{ kind: 'added-by-operator', source: cause, debit: debited, credit: credited, currency, amount }] as const;
}

/**
 * Locks credits with the payments that return them and those that they brought back, the credits that wait again by that, and the legs of their orders. What they need is locked by kind, in the order of
 * all locks (docs/architecture.md, Row locks), so that nobody who locks in that order waits for this transaction while it waits for them. Returns the credits as they
 * are then, by reference. Throws `import_busy` when one became an order, or its return was made, while this waited for the lock and another transaction holds that by now.
 */
export async function lockCredits(tx: LedgerTransaction, named: readonly string[]): Promise<Map<string, CreditStanding>> {
  const references = [
    ...new Set([...named, ...(await findStandings(tx, named)).flatMap(({ reopened, rests }) => rests.concat(reopened ?? []))]),
  ];
  const credits = sql`any(${references}::text[])`;
  const { rows: payments } = await sql<{ id: string }>`
    select id from payments where came_back_by = ${credits} or (credit = ${credits} and state in ('ready', 'sent', 'accepted')) order by id for update
  `.execute(tx);
  const orders = (await findStandings(tx, references)).flatMap(({ orderId }) => orderId ?? []);
  // What is open ends or moves by its row there, what has ended is opened again by that of the history.
  await sql`select from open_legs where order_id = any(${orders}::uuid[]) order by id for update`.execute(tx);
  await sql`select from leg_history where order_id = any(${orders}::uuid[]) order by id for update`.execute(tx);
  await sql`select from credits where reference = ${credits} order by reference for update`.execute(tx);
  const locked = await findStandings(tx, references);
  for (const { reference, orderId, payment, reopened } of locked) {
    if (reopened !== null && named.includes(reference) && !references.includes(reopened)) throw creditsChanged([reference]);
    if (orderId !== null && !orders.includes(orderId)) throw creditsChanged([reference]);
    if (payment === null || payments.some(({ id }) => id === payment)) continue;
    // A return that was made while this waited for the credit. Waiting for it as well could be a deadlock: whoever has it may need the credit.
    const { rows } = await sql`select from payments where id = ${payment} for update skip locked`.execute(tx);
    if (rows.length === 0) throw creditsChanged([reference]);
  }
  return new Map(locked.map((credit) => [credit.reference, credit]));
}
