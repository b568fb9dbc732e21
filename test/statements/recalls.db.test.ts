import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { listClaims } from '../../src/ledger/bank/claims/claims.ts';
import { writeNextFile } from '../../src/ledger/bank/payment-batches.ts';
import { listRecalls, type RecallDecision } from '../../src/ledger/bank/recalls/recalls.ts';
import { recalls } from '../../src/operations/bank/recall-view.ts';
import { acceptRecall } from '../../src/operations/bank/recalls.ts';
import type { VerbContext } from '../../src/operations/verb.ts';
import { readView } from '../../src/operations/view.ts';
import { undoRecall } from '../../src/ledger/bank/recalls/recall-records.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { bankProblems } from '../../src/problems/bank-problems.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { answerByFile } from '../../src/statements/recalls/answer-recall.ts';
import { stream } from '../bank/iso20022/camt/reading.ts';
import { type EntrySpec, masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { messageRecallXml, recallXml, type RecallSpec } from '../bank/iso20022/recalls/recall-xml.ts';
import { payerIban, testPayments } from '../ledger/bank/payments-ledger.ts';
import { creditOptions as options, payment } from './bank-rail.ts';
import { bookings, operatorsDecision, unassigned } from './bookings.ts';

const at = testPayments();
const { book, creditOf } = bookings(at);

const uetr = '3a1f0c52-7d4e-4b6a-9c8d-0e1f2a3b4c5d';
const refs = { EndToEndId: 'INV-7', UETR: uetr };
const arrival = (iban: string, more: Partial<EntrySpec> = {}): EntrySpec => ({
  amount: '9.00',
  reference: 'C1',
  transactions: [payment(iban, '9.00', { refs })],
  ...more,
});
/** The bank takes the money back. */
const debit: EntrySpec = { amount: '9.00', reference: 'D1', direction: 'DBIT', reversal: true, transactions: [{ amount: '9.00', refs }] };

const recall = async (...specs: RecallSpec[]) =>
  importBankFile(at.ledger, { name: 'recall.xml', chunks: stream([recallXml(...specs)]), options });

async function answer(decision: Partial<RecallDecision> & Pick<RecallDecision, 'kind'>, id?: string) {
  const [open] = await listRecalls(at.ledger, 10);
  const full = decision.kind === 'accepted' ? { credit: undefined, ...decision } : { code: 'CUST' as const, ...decision };
  return answerByFile(
    at.ledger,
    { bankTimeZone: 'UTC' },
    { id: id ?? open?.id ?? '', decision: full, operator: operatorsDecision.operator },
  );
}

/** The credits that open recalls may be about, each with what stands against it. */
const found = async () =>
  (await listRecalls(at.ledger, 10)).map(({ credits }) =>
    credits.map(({ reference, problem }) => [reference.replace(/^.*:/, ''), problem]),
  );

const problems = async () => (await bankProblems(at.ledger)).filter(({ kind }) => kind === 'recalls_open');

describe('a recall', () => {
  it('waits for an answer, by a day, once however often it comes', async () => {
    await book([arrival(unassigned)]);
    expect(await recall({ uetr })).toMatchObject({
      message: 'camt.056',
      counts: { recalls: 1, known: 0, alerts: 1 },
      alerts: [{ caseId: 'CASE-1', amount: '9.00', currency: 'eur', reason: expect.stringContaining('recalls this payment (DUPL)') }],
    });
    expect(await recall({ uetr })).toMatchObject({ state: 'already_imported' });
    expect(await recall({ uetr }, { uetr, caseId: 'CASE-2' })).toMatchObject({ counts: { recalls: 1, known: 1 } });
    const [first] = await listRecalls(at.ledger, 10);
    expect(await problems()).toMatchObject([
      { text: expect.stringMatching(`^2 recalls wait for an answer, the oldest, ${first?.id}, until ${first?.answerBy}`) },
    ]);
    expect(await found()).toEqual([[['C1', undefined]], [['C1', undefined]]]);
    const {
      rows: [listed],
      hasMore,
    } = await readView(recalls, at.ledger, {}, 1);
    expect(hasMore).toBe(true);
    expect(listed).toMatchObject({ id: first?.id, answerBy: first?.answerBy, amount: '9.00', currency: 'eur' });
    expect(listed && recalls.columns['credit']?.(listed)).toMatch(/:C1 \(unmatched[^)]*\)$/);
    expect((await creditOf('C1')).state).toBe('unmatched');
  });

  it('is refused with its whole file where more would wait than operators could answer', async () => {
    await sql`insert into recalls (id, numbers, facts, source) select gen_random_uuid(), '{}', '{}', 'before.xml' from generate_series(1, 9999)`.execute(
      at.ledger,
    );
    const open = async () => (await at.ledger.selectFrom('recalls').where('answer', 'is', null).select('id').execute()).length;
    await expect(recall({ caseId: 'A' }, { caseId: 'B' })).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('recalls wait for an answer') as string,
    });
    expect(await open()).toBe(9999);
    expect(await recall({ caseId: 'A' })).toMatchObject({ counts: { recalls: 1 } });
    expect(await recall({ caseId: 'A' }, { caseId: 'A' })).toMatchObject({ counts: { known: 2 } });
  });

  it('of a whole message waits for an answer too, which can only be a refusal', async () => {
    await book([arrival(unassigned)]);
    const file = { name: 'recall.xml', chunks: stream([messageRecallXml('<NbOfTxs>3</NbOfTxs>')]), options };
    expect(await importBankFile(at.ledger, file)).toMatchObject({
      counts: { recalls: 1, known: 0, alerts: 1 },
      alerts: [{ caseId: 'CASE-1', reason: expect.stringContaining('recalls a whole message (DUPL)') }],
    });
    expect([(await problems()).length, await found()]).toEqual([1, [[]]]);
    const { rows } = await readView(recalls, at.ledger, {}, 10);
    expect(rows.map((row) => recalls.columns['credit']?.(row))).toEqual([expect.stringContaining('the whole message MSG-7')]);
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('--code NARR') as string,
    });
    await answer({ kind: 'refused', code: 'NARR', text: 'send a recall of each payment' });
    expect([await problems(), (await at.files()).length]).toEqual([[], 1]);
  });

  it('is about a credit by the UETR, the bank’s number and amount, or perhaps by the EndToEndId', async () => {
    await book([arrival(unassigned)]);
    await recall(
      { caseId: 'A', uetr },
      { caseId: 'B', transactionId: 'C1', settledOn: '2026-11-20' },
      { caseId: 'C', endToEndId: 'INV-7' },
    );
    await recall(
      { caseId: 'D', transactionId: 'C1', amount: '8.00' },
      { caseId: 'E', endToEndId: 'INV-7', settledOn: '2026-01-04' },
      { caseId: 'F' },
      { caseId: 'G', transactionId: 'C1', settledOn: '2026-11-19' },
    );
    const credits = new Map(
      (await listRecalls(at.ledger, 10)).map((open) => [open.recall.caseId, open.credits.map(({ isNamed }) => isNamed)]),
    );
    expect(Object.fromEntries(credits)).toEqual({ A: [true], B: [true], C: [false], D: [], E: [], F: [], G: [false] });
  });

  it.each<[string, RecallSpec, string]>([
    ['of another amount', { uetr, amount: '8.00' }, 'it is over 9.00 EUR, and the recall over 8.00 EUR'],
    ['in another currency', { uetr, currency: 'GBP' }, 'it is over 9.00 EUR, and the recall over 9.00 GBP'],
    ['of an amount that is none', { uetr, amount: '9,00' }, 'the recall names no amount that can be read'],
    [
      'of the number of another day',
      { transactionId: 'C1', settledOn: '2026-11-12' },
      'it was booked on 2026-11-20, and the recalled payment was settled on 2026-11-12',
    ],
    [
      'of the number and another EndToEndId',
      { transactionId: 'C1', endToEndId: 'INV-8', settledOn: '2026-11-20' },
      'it has another UETR or EndToEndId than the recall names',
    ],
    ['of another payer', { uetr, payerIban: 'DE89370400440532013000' }, 'it came from another account'],
  ])('%s is not accepted, and can be refused', async (_what, spec, problem) => {
    await book([arrival(unassigned)]);
    await recall(spec);
    expect(await found()).toEqual([[['C1', problem]]]);
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining(problem),
    });
    expect(await at.files()).toEqual([]);
    await answer({ kind: 'refused' });
    expect([await problems(), (await creditOf('C1')).state]).toEqual([[], 'unmatched']);
  });

  it('of a credit that is not there is refused, or found once a statement has it', async () => {
    await recall({ uetr, payerIban });
    expect(await found()).toEqual([[]]);
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({ message: expect.stringContaining('refuse it with NOOR') });
    await book([arrival(unassigned)]);
    expect(await found()).toEqual([[['C1', undefined]]]);
    await answer({ kind: 'refused', code: 'NOOR' });
    await expect(answer({ kind: 'refused' }, (await at.files())[0]?.id)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('is refused already'),
    });
  });

  it('of one of several payments needs the operator to name it', async () => {
    const twin = { amount: '9.00', reference: 'C2', transactions: [payment(unassigned, '9.00', { refs: { EndToEndId: 'INV-7' } })] };
    await book([arrival(unassigned, { transactions: [payment(unassigned, '9.00', { refs: { EndToEndId: 'INV-7' } })] }), twin]);
    await recall({ endToEndId: 'INV-7' });
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({ message: expect.stringContaining('name one with --credit') });
    await expect(answer({ kind: 'accepted', credit: `${masterIban}:C3` })).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('cannot be accepted') as string,
    });
    await answer({ kind: 'accepted', credit: `${masterIban}:C2` });
    expect([(await creditOf('C1')).state, (await creditOf('C2')).state]).toEqual(['unmatched', 'returned']);
  });
});

describe('an accepted recall', () => {
  it('returns an unmatched credit by the debit of the bank, and the answer is written once', async () => {
    await book([arrival(unassigned)]);
    await recall({ uetr });
    const { file } = await answer({ kind: 'accepted' });
    expect(await creditOf('C1')).toMatchObject({ state: 'returned', awaitsDebit: true });
    await expect(matchCredit(at.ledger, `${masterIban}:C1`, { ...options, source: 'test' })).rejects.toMatchObject({
      code: 'credit_not_unmatched',
      message: expect.stringContaining('mintrail bank recalls undo') as string,
    });
    const written: string[] = [];
    const rail = { date: (content: string) => content, deliver: async ({ name }: { name: string }) => void written.push(name) };
    expect([await writeNextFile(at.ledger, rail), await writeNextFile(at.ledger, rail), written]).toEqual([file, undefined, [file]]);
    expect(await at.payments()).toEqual([]);
    await book([debit]);
    expect([(await creditOf('C1')).state, await listClaims(at.ledger, 10)]).toEqual(['reversed', []]);
  });

  it('takes no token from anybody: what the bank takes back of an issued credit is a claim', async () => {
    await book([arrival(at.customer.iban)]);
    const order = (await creditOf('C1')).orderId as string;
    await at.settle(order, 'issue', `0x${'1'.repeat(64)}`);
    await recall({ uetr });
    expect((await answer({ kind: 'accepted' })).credit).toEqual({ reference: `${masterIban}:C1`, orderId: order });
    expect([(await creditOf('C1')).state, await listClaims(at.ledger, 10)]).toEqual(['matched', []]);
    await book([debit]);
    expect(await listClaims(at.ledger, 10)).toMatchObject([{ state: 'open', amount: 900n, orderId: order }]);
    await recall({ uetr, caseId: 'CASE-2' });
    expect(await found()).toEqual([[['C1', 'the bank has taken it back already: refuse the recall with ARDT']]]);
  });

  it('may be over more than arrived, where the UETR is the same: banks on the way keep charges', async () => {
    const net = { amount: '8.50', charges: '0.50', transactions: [payment(unassigned, '9.00', { refs })] };
    await book([arrival(unassigned, net)]);
    await recall({ caseId: 'NUMBER', endToEndId: 'INV-7' }, { uetr });
    expect(new Set(await found())).toEqual(new Set([[['C1', undefined]], [['C1', 'it is over 8.50 EUR, and the recall over 9.00 EUR']]]));
    const open = (await listRecalls(at.ledger, 10)).find(({ recall: { caseId } }) => caseId === 'CASE-1');
    const context = { ledger: at.ledger } as VerbContext;
    expect(await acceptRecall.describe(context, { recall: open?.id ?? '' })).toContain('8.50 EUR of the 9.00 EUR');
    await answer({ kind: 'accepted' }, open?.id);
    await book([{ ...debit, amount: '8.50', transactions: [{ amount: '8.50', refs }] }]);
    expect((await creditOf('C1')).state).toBe('reversed');
  });

  it('of which the bank never takes the money is named, and undone: its credit waits again', async () => {
    await book([arrival(unassigned)]);
    await recall({ uetr });
    const { id } = await answer({ kind: 'accepted' });
    expect([await problems(), await listRecalls(at.ledger, 10)]).toEqual([[], []]);
    await sql`update recalls set answered_at = now() - interval '6 days'`.execute(at.ledger);
    expect(await problems()).toMatchObject([
      { subject: 'accepted recalls', text: expect.stringContaining(`mintrail bank recalls undo ${id}`) },
    ]);
    const { rows } = await readView(recalls, at.ledger, {}, 10);
    expect(rows.map((row) => recalls.columns['credit']?.(row))).toEqual([expect.stringMatching(/accepted on .* not taken/)]);
    await expect(answer({ kind: 'refused' }, id)).rejects.toMatchObject({ code: 'not_found' });
    const undo = async () => undoRecall(at.ledger, id, operatorsDecision);
    expect(await undo()).toEqual({ id, credit: `${masterIban}:C1` });
    expect(await creditOf('C1')).toMatchObject({
      state: 'unmatched',
      awaitsDebit: false,
      returnedAt: null,
      reason: expect.stringContaining(operatorsDecision.reason),
    });
    expect([await problems(), await listRecalls(at.ledger, 10)]).toEqual([[], []]);
    await expect(undo()).rejects.toMatchObject({ code: 'not_found' });
    await expect(undoRecall(at.ledger, randomUUID(), operatorsDecision)).rejects.toMatchObject({ code: 'not_found' });
    // A further request for the same money is a recall of its own.
    await recall({ uetr, caseId: 'CASE-2' });
    await undoRecall(at.ledger, (await answer({ kind: 'accepted' })).id, operatorsDecision);
    const { payment: paid } = await returnCredit(at.ledger, `${masterIban}:C1`);
    expect(await at.payments()).toMatchObject([{ id: paid, state: 'ready' }]);
  });

  it('that was undone and whose money the bank takes after all is returned by that', async () => {
    await book([arrival(unassigned)]);
    await recall({ uetr });
    const { id } = await answer({ kind: 'accepted' });
    await undoRecall(at.ledger, id, operatorsDecision);
    await book([debit]);
    expect([(await creditOf('C1')).state, await listClaims(at.ledger, 10)]).toEqual(['reversed', []]);
    expect((await bankProblems(at.ledger)).map(({ kind }) => kind)).toEqual([]);
  });

  it('is the only one of its credit', async () => {
    await book([arrival(at.customer.iban)]);
    await recall({ uetr }, { uetr, caseId: 'CASE-2' });
    await answer({ kind: 'accepted' });
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({
      message: expect.stringMatching(/was accepted already: refuse this one with ARDT/),
    });
    await answer({ kind: 'refused', code: 'ARDT' });
    expect(await problems()).toEqual([]);
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    ['an operator has returned', () => returnCredit(at.ledger, `${masterIban}:C1`), /returned already: refuse the recall with ARDT/],
    ['the bank has taken back', () => book([debit]), /taken it back already: refuse the recall with ARDT/],
  ])('is never one of a credit that %s', async (_what, end, problem) => {
    await book([arrival(unassigned)]);
    await end();
    await recall({ uetr });
    await expect(answer({ kind: 'accepted' })).rejects.toMatchObject({ message: expect.stringMatching(problem) });
    expect((await at.payments()).length + (await at.files()).length).toBeLessThanOrEqual(1);
  });
});
