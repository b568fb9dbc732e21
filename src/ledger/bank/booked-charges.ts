import { sql } from 'kysely';
import { type MinorUnits, minorUnits } from '../../platform/money.ts';
import { accounts, bankAccount } from '../book/accounts.ts';
import { recordEntries } from '../book/entries.ts';
import type { LedgerTransaction } from '../ledger.ts';
import { recordDebits, replaceDebits } from './debits/bank-debits.ts';
import type { DebitMoney } from './debits/debit-money.ts';
import { keptReference, restReference } from './derived-references.ts';
import { statementKind } from './reported-line.ts';
import { replaceCredits, unusedReferences } from './reported-credits.ts';
import { undoneCharges } from './unmatched/unmatched-remedies.ts';
import { bookUnderStatements, listBookings, listWith } from './statements/bank-statements.ts';

/** A credit of which statements may list another amount than counts, before or after charges. */
export interface ChargedCredit {
  credit: string;
  /** How much less than counts they list, in minor units: the bank has kept it. Less than zero for what they list more. */
  kept: MinorUnits;
  /** The day under which they list it, and they. */
  bookedOn: string | null;
  statements: readonly (readonly string[])[];
}

/** What was booked of such a credit: a debit of what the bank kept, or a credit of the rest; both wait for an operator. */
export interface BookedCharge {
  credit: string;
  reference: string;
  isDebit: boolean;
  currency: string;
  amount: MinorUnits;
  /** What it is, and what to do, as a clause. */
  problem: string;
}

interface KnownCharge {
  credit: string;
  reference: string;
  /** Less than zero for a rest. */
  kept: MinorUnits;
  isOpen: boolean;
  bookedOn: string | null;
}

/**
 * Books what statements list less of credits than counts as a debit, and what they list more as a credit. What waits and is not so any more is undone; what an operator has decided
 * stays, and its opposite is booked where it is not so. Returns what it records.
 */
export async function bookCharges(tx: LedgerTransaction, charged: readonly ChargedCredit[], source: string): Promise<BookedCharge[]> {
  const credits = charged.map(({ credit }) => credit);
  const { rows } = await sql<KnownCharge>`
    select kept_of as credit, reference, amount as kept, state = 'unexplained' as is_open, booked_on::text from bank_debits
    where kept_of = any(${credits}::text[]) and state <> 'replaced'
    union all
    select rest_of, reference, -amount, state = 'unmatched', booked_on::text from credits where rest_of = any(${credits}::text[]) and state not in ('replaced', 'repeated')
  `.execute(tx);
  const known = Map.groupBy(rows, ({ credit }) => credit);
  const booked: BookedCharge[] = [];
  for (const one of charged) {
    const charges = known.get(one.credit) ?? [];
    const open = charges.filter(({ isOpen }) => isOpen);
    const ended = charges.filter(({ isOpen }) => !isOpen);
    const kept = minorUnits(one.kept - sumOf(ended));
    const isBooked = open.length <= 1 && sumOf(open) === kept;
    if (isBooked) for (const statements of one.statements) await listBookings(tx, statements, namesOf(one.kept === 0n ? [] : charges));
    if (isBooked) continue;
    await replaceDebits(tx, namesOf(open.filter((charge) => charge.kept > 0n)));
    const rests = namesOf(open.filter((charge) => charge.kept < 0n));
    await replaceCredits(
      tx,
      rests.map((reference) => ({ reference, remaining: null })),
    );
    // What undoes a charge is booked and listed where that is.
    const undone = one.kept === 0n ? ended : [];
    const { bookedOn = one.bookedOn } = undone[0] ?? {};
    if (kept !== 0n) booked.push(await record(tx, { ...one, kept, bookedOn }, namesOf(undone), source));
  }
  return booked;
}

function sumOf(charges: readonly KnownCharge[]): bigint {
  return charges.reduce((sum, { kept }) => sum + kept, 0n);
}

function namesOf(charges: readonly KnownCharge[]): string[] {
  return charges.map(({ reference }) => reference).toSorted();
}

async function record(tx: LedgerTransaction, charged: ChargedCredit, undone: readonly string[], source: string): Promise<BookedCharge> {
  const { credit, kept } = charged;
  const of = await tx.selectFrom('credits').where('reference', '=', credit).selectAll().executeTakeFirstOrThrow();
  const [account, currency, isDebit] = [of.bankAccount, of.currency as string, kept > 0n];
  const bookedOn = charged.bookedOn ?? new Date().toISOString().slice(0, 10);
  const amount = minorUnits(isDebit ? kept : 0n - kept);
  const wanted = { reference: isDebit ? keptReference(credit) : restReference(credit), bookedOn };
  const [reference = ''] = await unusedReferences(tx, isDebit ? 'bank_debits' : 'credits', [wanted]);
  const problem = problemOf(credit, isDebit, undone);
  const debit = { reference, account, currency, amount, bookedOn, payee: {}, files: [], isSum: false, remittance: 'charges' };
  const [statements = []] = undone.length > 0 ? [] : charged.statements;
  await bookUnderStatements(tx, statements.join(','), () =>
    isDebit
      ? recordDebits(tx, [{ debit, problem, keptOf: credit }], source)
      : recordRest(tx, debit, { credit, problem, source, reason: undone.length > 0 ? undoneCharges : 'details_differ' }),
  );
  for (const other of undone) await listWith(tx, other, [reference]);
  return { credit, reference, isDebit, currency, amount, problem };
}

function problemOf(credit: string, isDebit: boolean, undone: readonly string[]): string {
  const ended = undone.join(', ');
  if (isDebit && undone.length > 0) return `the bank has not booked ${ended}, the rest of ${credit}, which was given away before`;
  if (isDebit) return `the bank has booked less than counts for ${credit}, and kept this as charges`;
  if (undone.length > 0)
    return `the bank has not kept ${ended} of ${credit}, which was explained before: settle it as own, or let it make the claim good that this became, by \`mintrail bank claims settle\``;
  return `the bank has booked more than counts for ${credit}, which was notified after charges: match it for the customer, or settle it as difference:DEBIT where the bank books the charges by themselves`;
}

/** The rest waits for the customer of its credit. */
async function recordRest(
  tx: LedgerTransaction,
  { reference, account, currency, amount, bookedOn }: DebitMoney,
  { credit, problem, reason, source }: { credit: string; problem: string; reason: string; source: string },
): Promise<void> {
  await sql`
    insert into credits (reference, iban, currency, amount, payer, remittance, structured_reference, end_to_end_id, booked_on, source, message, facts, bank_account, state,
      reason, rail_reason, rest_of)
    select ${reference}, iban, currency, ${amount}, payer, remittance, structured_reference, end_to_end_id, ${bookedOn}, ${source}, message, facts, bank_account, 'unmatched',
      ${problem}, ${reason}, reference
    from credits where reference = ${credit}
  `.execute(tx);
  await recordEntries(tx, [
    { kind: 'credit', source: reference, bookedOn, debit: bankAccount(account), credit: accounts.suspense, currency, amount },
  ]);
}

/**
 * Books the charges of a credit anew whose amount, or of which what statements list, an operator has changed (docs/bank-files.md, Charges): where the `other` amount, which it had or a report of it is over, is
 * not its own, in minor units.
 */
export async function bookChargesAnew(tx: LedgerTransaction, credit: string, other: MinorUnits | null, source: string): Promise<void> {
  const { rows } = await sql<ChargedCredit>`
    select c.reference as credit, c.amount - coalesce(s.amount, c.amount) as kept, s.booked_on::text, coalesce(to_jsonb(array[s.statements]), '[]') as statements
    from credits c left join lateral (
      select r.amount, r.booked_on, o.statements from report_money m join bank_reports r on r.id = m.report join bank_documents o on o.id = r.document
      where m.credit = c.reference and o.kind = ${statementKind} and not r.is_sum order by o.id limit 1) s on true
    where c.reference = ${credit} and c.amount <> ${other}
  `.execute(tx);
  await bookCharges(tx, rows, source);
}
