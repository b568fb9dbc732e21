import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { createApplication } from '../../src/ledger/access/applications.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { recordBreach } from '../../src/ledger/reserve/breaches.ts';
import { requireVerb } from '../../src/operations/registry.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { makeStuck } from '../console/support/orders-of-all-kinds.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { createTestConsole, type TestOperator } from '../console/support/test-console.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { payment } from '../statements/bank-rail.ts';
import { bookings } from '../statements/bookings.ts';
import { creditTo } from '../support/credits.ts';
import { mintrail } from '../support/processes/mintrail.ts';

/** What a verb is done to: the input that a page sends for it, the command line that says the same, and whose audit entries it leaves. */
interface Subject {
  input: Record<string, unknown>;
  command: string[];
  audited: string;
}

interface Twins {
  verb: string;
  /** A new subject each time. */
  prepare: (payments: PaymentsLedger) => Promise<Subject>;
  /** Throws unless a subject is what the verb makes of it. */
  isDone?: (payments: PaymentsLedger, subject: Subject) => Promise<void>;
}

const reason = 'Looked at by hand';
const tokens = `eur:0x${'1'.repeat(40)}`;

async function newApplication({ ledger }: PaymentsLedger): Promise<string> {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  return (await createApplication(ledger, { kind: 'whitelabel', name: 'Partner', owner, approved: false })).id;
}

async function newOperator({ ledger }: PaymentsLedger): Promise<string> {
  const name = `viewer-${randomUUID().slice(0, 8)}`;
  await addOperator(ledger, { name, role: 'viewer' });
  return name;
}

let credits = 0;

/** A line of a statement that was taken for the money of a notified credit. */
async function knownLine(payments: PaymentsLedger): Promise<{ reference: string; amount: string }> {
  credits += 1;
  const [amount, number] = [`${credits}.00`, `S${credits}`];
  const entry = { amount, transactions: [payment(payments.customer.iban, amount)] };
  const { book } = bookings(payments);
  await book([{ ...entry, reference: `N${credits}` }], { message: 'camt.054' });
  await book([{ ...entry, reference: number }]);
  return { reference: `${masterIban}:${number}`, amount };
}

/** One of each noun. */
const twins: Twins[] = [
  {
    verb: 'orders.give-back',
    async prepare(payments) {
      const order = await makeStuck(payments);
      return { input: { order, reason }, command: ['orders', 'give-back', order, '--reason', reason], audited: order };
    },
  },
  {
    verb: 'bank.reject-payment',
    async prepare(payments) {
      const { id: payment } = await payments.sentPayout();
      return { input: { payment, state: 'sent', reason }, command: ['payments', 'reject', payment, reason], audited: payment };
    },
  },
  {
    verb: 'bank.match',
    async prepare(payments) {
      const { reference, amount } = await knownLine(payments);
      return {
        input: { reference, amount, again: true, reason },
        command: ['bank', 'match', reference, '--again', '--reason', reason],
        audited: reference,
      };
    },
    async isDone({ credit }, { audited }) {
      expect(await credit(audited)).toMatchObject({ state: 'matched', orderId: expect.any(String) as string, matchedBecause: reason });
    },
  },
  {
    verb: 'bank.not-booked',
    async prepare({ ledger }) {
      const credit = creditTo('IS1', 1_000n, { isAwaited: true, unmatched: 'the IBAN is not assigned' });
      await recordCredits(ledger, [credit], { source: 'test', defaultMemo: 'memo', tokens: [] });
      const { reference } = credit;
      return {
        input: { reference, reason },
        command: ['bank', 'not-booked', reference, '--reason', reason],
        audited: `${reference}#not-booked`,
      };
    },
  },
  {
    verb: 'reserve.acknowledge',
    async prepare({ ledger }) {
      const account = `tokens:test-${randomUUID().slice(0, 8)}`;
      await recordBreach(ledger, { comparison: 'index', currency: 'usd', account, chain: 'gnosis' }, minorUnits(500n));
      const [items, named] = [
        ['6.00 forged in 0x12', '-1.00 rounded'],
        ['--comparison', 'index', '--account', account],
      ];
      const options = [...named, ...items.flatMap((item) => ['--item', item]), '--reason', reason];
      return {
        input: { comparison: 'index', currency: 'usd', account, items, books: false, reason },
        command: ['reconcile', 'acknowledge', 'usd', ...options],
        audited: 'usd',
      };
    },
  },
  {
    verb: 'applications.approve',
    async prepare(payments) {
      const application = await newApplication(payments);
      return { input: { application }, command: ['app', 'approve', application], audited: application };
    },
  },
  {
    verb: 'applications.disable',
    async prepare(payments) {
      const application = await newApplication(payments);
      return { input: { application }, command: ['app', 'disable', application], audited: application };
    },
  },
  {
    verb: 'operators.role',
    async prepare(payments) {
      const name = await newOperator(payments);
      return { input: { name, role: 'reviewer' }, command: ['operator', 'role', name, '--role', 'reviewer'], audited: name };
    },
  },
  {
    verb: 'operators.disable',
    async prepare(payments) {
      const name = await newOperator(payments);
      return { input: { name }, command: ['operator', 'disable', name], audited: name };
    },
  },
];

let payments: PaymentsLedger;
beforeAll(async () => void (payments = await createPaymentsLedger()));
afterAll(() => payments.close());

/** What the audit log got of a subject since there were so many entries, without what differs between two subjects and two requests. */
const entriesOf = async (subject: string, before = 0) => {
  const entries = await listAudit(payments.ledger, { subject, limit: 100 });
  return entries.slice(0, entries.length - before).map(({ action, actorKind, actor, detail, correlationId }) => ({
    action,
    actorKind,
    actor,
    fields: Object.keys(detail as object).toSorted(),
    isTraced: correlationId !== null,
  }));
};

describe.each(['no', 'yes'] as const)('where FOUR_EYES is %s', (fourEyes) => {
  let console: Awaited<ReturnType<typeof createTestConsole>>;
  let [asker, second, viewer] = [] as unknown as [TestOperator, TestOperator, TestOperator];
  const run = (...args: string[]) =>
    mintrail(args, { DATABASE_URL: payments.url, MINTRAIL_ENVIRONMENT: 'sandbox', FOUR_EYES: fourEyes, CHIADO_TOKENS: tokens });
  beforeAll(async () => {
    console = await createTestConsole({ env: { FOUR_EYES: fourEyes, CHIADO_TOKENS: tokens }, url: payments.url });
    asker = await console.signedIn('administrator');
    second = await console.signedIn('administrator');
    viewer = await console.signedIn('viewer');
  });
  afterAll(() => console.close());

  it.each(twins)('$verb is the same by a command and in the console', async ({ verb: name, prepare, isDone }) => {
    const [ofCommand, ofPage] = [await prepare(payments), await prepare(payments)];
    const [beforeCommand, beforePage] = [(await entriesOf(ofCommand.audited)).length, (await entriesOf(ofPage.audited)).length];
    const command = (...options: string[]) => run(...ofCommand.command, ...options);

    // Who may not, and what is not confirmed, changes nothing.
    expect(await command('--yes', '--as', viewer.name)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(role_not_sufficient)') as string,
    });
    expect((await viewer.act(name, ofPage.input)).json).toMatchObject({ code: 'role_not_sufficient' });
    expect(await command('--as', asker.name)).toMatchObject({ code: 3, stdout: '' });

    // What depends on the input is so chosen that it takes one.
    const waits = fourEyes === 'yes' && requireVerb(name).needsSecondPerson !== false;
    const answer = await command('--yes', '--json', '--as', asker.name);
    expect(answer).toMatchObject({ code: waits ? 4 : 0, stderr: '' });
    if (waits) {
      // The same request twice: what one of them asks for is what the other does.
      const { approval } = JSON.parse(answer.stdout) as { approval: string };
      const { json: page } = await asker.act(name, ofCommand.input);
      const [filed, asked] = [
        await second.get(`/api/approvals/${approval}`),
        await second.get(`/api/approvals/${page.approval as string}`),
      ];
      for (const same of ['action', 'description', 'requestedBy', 'state']) expect(filed.json[same], same).toEqual(asked.json[same]);
      expect(await second.decide(approval)).toMatchObject({ status: 200 });
      expect(await second.decide(page.approval as string, 'refuse')).toMatchObject({ status: 200 });
      const { json: other } = await asker.act(name, ofPage.input);
      expect(await second.decide(other.approval as string)).toMatchObject({ status: 200 });
    } else {
      expect(await asker.act(name, ofPage.input)).toMatchObject({ status: 200, json: { state: 'done' } });
    }
    for (const subject of [ofCommand, ofPage]) await isDone?.(payments, subject);
    // Entries of the subject of a currency are those of both.
    const isShared = ofCommand.audited === ofPage.audited;
    const entries = await entriesOf(ofCommand.audited, beforeCommand);
    const [newest, older] = isShared
      ? [entries.slice(0, entries.length / 2), entries.slice(entries.length / 2)]
      : [await entriesOf(ofPage.audited, beforePage), entries];
    expect(newest).toEqual(older);
    expect(newest).toContainEqual(expect.objectContaining({ actorKind: 'operator', isTraced: true }));
  });
});
