import { expect, it } from 'vitest';
import { undoReversal } from '../../src/ledger/bank/claims/undo-reversal.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import type { NewCredit } from '../../src/ledger/bank/match-credits.ts';
import { repeatCredit } from '../../src/ledger/bank/unmatched/repeat-credit.ts';
import { matchCredit } from '../../src/ledger/bank/unmatched/match-unmatched.ts';
import { formatAmount, minorUnits } from '../../src/platform/money.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { payerIban, randomHash } from '../ledger/bank/payments-ledger.ts';
import { creditOptions } from '../statements/bank-rail.ts';
import { bookings, operatorsDecision } from '../statements/bookings.ts';
import { creditTo } from '../support/credits.ts';
import { openRecall } from './twins/bank-twins.ts';
import { nextAmount, reason } from './twins/twin.ts';
import { forWholeFile } from '../support/for-whole-file.ts';
import { createTwoOperators } from './two-operators.ts';

const two = forWholeFile(createTwoOperators);

/** A credit of a customer that waits for an operator. */
async function waitingCredit(minor: bigint, more: Partial<NewCredit> = {}): Promise<string> {
  const payer = { name: 'Jón', iban: payerIban };
  const credit = creditTo(two.payments.customer.iban, minor, {
    unmatched: 'the IBAN is not assigned',
    payer,
    bankAccount: masterIban,
    ...more,
  });
  await recordCredits(two.payments.ledger, [credit], { ...creditOptions, source: 'test' });
  return credit.reference;
}

/** A debit of the bank that nobody has explained. */
async function bookedDebit(amount: string, number = nextAmount().number): Promise<string> {
  await bookings(two.payments).book([{ amount, reference: number, direction: 'DBIT' }]);
  return `${masterIban}:${number}`;
}

/** Makes a waiting credit an order, whose tokens are issued. */
async function issue(reference: string): Promise<string> {
  const { orderId } = await matchCredit(two.payments.ledger, reference, { ...creditOptions, source: 'operator' });
  await two.payments.settle(orderId, 'issue', randomHash());
  return orderId;
}

/** What is asked for, and the sentence that a second person reads. */
async function ask(verb: string, input: object): Promise<{ approval: string; description: string }> {
  const asked = await two.asker.act(verb, input);
  expect(asked).toMatchObject({ status: 202 });
  const approval = asked.json.approval as string;
  return { approval, description: (await two.second.get(`/api/approvals/${approval}`)).json.description as string };
}

const preview = (verb: string, input: object) => two.asker.post(`/api/actions/${verb}/preview`, input);
const notAsShown = { status: 409, json: { code: 'not_as_shown' } };
const debitState = async (reference: string) =>
  (await two.payments.ledger.selectFrom('bankDebits').where('reference', '=', reference).select('state').executeTakeFirstOrThrow()).state;

it('a debit takes a credit back only as what the second person read that it has become', async () => {
  const { amount, minor } = nextAmount();
  const [credit, debit] = [await waitingCredit(minor), await bookedDebit(amount)];
  const input = { debit, as: 'reversal-of', of: [credit], reason };
  const { approval, description } = await ask('bank.explain', input);
  expect(description).toContain(`${credit} (${amount} EUR from Jón (${payerIban})) waits unmatched: it becomes no order.`);
  const order = await issue(credit);
  expect(await two.second.decide(approval)).toMatchObject(notAsShown);
  expect(await debitState(debit)).toBe('unexplained');
  const again = await ask('bank.explain', input);
  expect(again.description).toContain(`became the order ${order} of Anna Karlsson, which is processed: what is taken back is a claim.`);
  expect(await two.second.decide(again.approval)).toMatchObject({ status: 200 });
  expect((await preview('bank.explain', { ...input, debit: await bookedDebit(amount) })).json).toMatchObject({ code: 'bad_input' });
});

it('a debit that takes back a part of a credit says so', async () => {
  const { amount, minor } = nextAmount();
  const [credit, debit] = [await waitingCredit(minor * 2n), await bookedDebit(amount)];
  const { description } = await ask('bank.explain', { debit, as: 'reversal-of', of: [credit], reason });
  expect(description).toContain(
    `A part of ${credit} (${formatAmount(minorUnits(minor * 2n))} EUR from Jón (${payerIban})) is a claim. It waits unmatched, and stays so.`,
  );
});

it('a credit ends as the money of another only while that is what the second person read, and not of one that a debit took back', async () => {
  const { amount, minor } = nextAmount();
  const [first, reference, debit] = [await waitingCredit(minor), await waitingCredit(minor), await bookedDebit(amount)];
  const input = { reference, amount, of: [first] };
  const { approval, description } = await ask('bank.repeat', input);
  expect(description).toContain(`${first} (${amount} EUR from Jón (${payerIban})) waits unmatched.`);
  await explainDebit(two.payments.ledger, debit, { explanation: { as: 'reversal-of', credits: [first] }, ...operatorsDecision });
  const refused = { code: 'bad_input', message: expect.stringContaining(`\`mintrail bank claims undo ${debit}\``) as string };
  expect((await two.second.decide(approval)).json).toMatchObject(refused);
  await expect(repeatCredit(two.payments.ledger, reference, [first])).rejects.toMatchObject(refused);
  expect(await two.payments.credit(reference)).toMatchObject({ state: 'unmatched' });
  // As the message says.
  await undoReversal(two.payments.ledger, debit, operatorsDecision);
  await repeatCredit(two.payments.ledger, reference, [first]);
  await explainDebit(two.payments.ledger, debit, { explanation: { as: 'reversal-of', credits: [first] }, ...operatorsDecision });
  expect([await two.payments.credit(first), await two.payments.credit(reference)]).toMatchObject([
    { state: 'reversed' },
    { state: 'repeated' },
  ]);
});

it('a credit that is suspected to repeat one which the bank took back says so', async () => {
  const { amount, minor } = nextAmount();
  const [first, debit] = [await waitingCredit(minor), await bookedDebit(amount)];
  const reference = await waitingCredit(minor, { railReason: 'suspected_repeat', mayRepeat: first });
  await explainDebit(two.payments.ledger, debit, { explanation: { as: 'reversal-of', credits: [first] }, ...operatorsDecision });
  const { description } = await ask('bank.repeat', { reference, amount });
  expect(description).toContain(`is reversed, so that nobody gets its money, and ${amount} EUR of it was taken back by ${debit}.`);
});

it('a credit that would repeat one which became an order says whose, and asks again when it has', async () => {
  const { amount, minor } = nextAmount();
  const [first, reference] = [await waitingCredit(minor), await waitingCredit(minor)];
  const { approval } = await ask('bank.repeat', { reference, amount, of: [first] });
  const order = await issue(first);
  expect(await two.second.decide(approval)).toMatchObject(notAsShown);
  const { description } = await ask('bank.repeat', { reference, amount, of: [first] });
  expect(description).toContain(`became the order ${order} of Anna Karlsson, which is processed.`);
});

it('an explanation that does not fit is refused when it is asked for', async () => {
  const { amount, minor } = nextAmount();
  const [credit, debit] = [await waitingCredit(minor + 1n), await bookedDebit(amount)];
  const wrong = [
    { as: 'reversal-of', of: ['NOPE'] },
    { as: 'return-of', of: [credit] },
    { as: 'repeat-of', of: ['NOPE'] },
    { as: 'payment', of: [crypto.randomUUID()] },
    { as: 'fee', amount: '1.00' },
  ];
  for (const explanation of wrong)
    expect((await preview('bank.explain', { debit, reason, ...explanation })).json, explanation.as).toMatchObject({ code: 'bad_input' });
  expect(await debitState(debit)).toBe('unexplained');
});

it('a credit that is settled as a difference says of which debit, and is refused where there is none', async () => {
  const { amount, minor } = nextAmount();
  const [reference, debit] = [await waitingCredit(minor), await bookedDebit(amount)];
  const input = { reference, amount, as: 'difference', reason };
  expect((await preview('bank.settle', { ...input, debit: 'NOPE' })).json).toMatchObject({
    code: 'not_possible',
    message: expect.stringContaining('there is none') as string,
  });
  const { json } = await preview('bank.settle', { ...input, debit });
  expect(json.description).toContain(`the money of the unexplained debit ${debit} over ${amount} EUR`);
});

it('a recall is refused with the text that the bank is told', async () => {
  const recall = await openRecall(two.payments);
  const { json } = await preview('bank.refuse-recall', { recall, code: 'CUST', text: 'Paid for goods' });
  expect(json.description).toMatch(/ \(CUST\)\. The bank is told: Paid for goods$/);
});
