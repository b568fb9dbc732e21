import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { createUser } from '../../src/ledger/access/users.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { createProfile } from '../../src/ledger/customers/profiles.ts';
import { recordBreach } from '../../src/ledger/reserve/breaches.ts';
import { dispatchEvents } from '../../src/ledger/webhooks/dispatch.ts';
import { createSubscription, deleteSubscription } from '../../src/ledger/webhooks/subscriptions.ts';
import { requireVerb } from '../../src/operations/registry.ts';
import { approvalProblems } from '../../src/problems/approval-problems.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { makeStuck } from '../console/support/orders-of-all-kinds.ts';
import { masterIban } from '../bank/iso20022/camt/statement-xml.ts';
import { profileInReview } from '../console/support/profile-in-review.ts';
import { createTestConsole, type TestConsole, type TestOperator } from '../console/support/test-console.ts';
import { createPaymentsLedger, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';
import { payment } from '../statements/bank-rail.ts';
import { bookings } from '../statements/bookings.ts';
import { creditTo } from '../support/credits.ts';
import { createCustomer } from '../support/customer.ts';
import { hasTerminal, mintrail, mintrailOnTerminal } from '../support/processes/mintrail.ts';
import { testSealer } from '../support/test-sealer.ts';
import { newSecret } from '../support/webhooks/webhook-ledger.ts';

/** What a verb is done to: the input that a page sends for it, the command line that says the same, and whose audit entries it leaves. */
interface Subject {
  input: Record<string, unknown>;
  command: string[];
  audited: string;
}

interface Twins {
  verb: string;
  /** A new subject each time. */
  prepare: (payments: PaymentsLedger, console: TestConsole) => Promise<Subject>;
  /** Brings a subject into a state that forbids the verb; not set where having done it does. */
  forbid?: (payments: PaymentsLedger, subject: Subject) => Promise<void>;
  /** What refuses it in that state; not set where no state does. */
  guard?: string;
  /** Throws unless a subject is what the verb makes of it. */
  isDone?: (payments: PaymentsLedger, subject: Subject) => Promise<void>;
}

const reason = 'Looked at by hand';
const alone = 'Nobody else can be reached';
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

/** A delivery to a partner that has failed for good. */
async function failedDelivery({ ledger }: PaymentsLedger): Promise<string> {
  const owner = await createUser(ledger, { email: `${randomUUID()}@example.com`, name: 'Partner' });
  const { id: application } = await createApplication(ledger, { kind: 'whitelabel', name: 'Shop', owner });
  const profile = await createProfile(ledger, { kind: 'personal', name: 'Anna', state: 'approved', application });
  const target = { url: 'https://shop.example/hooks', secret: newSecret(), types: ['profile.updated' as const] };
  const { id: subscription } = await createSubscription(ledger, testSealer, application, target);
  const data = JSON.stringify({ id: profile, kind: 'personal', name: 'Anna', state: 'approved' });
  await ledger.insertInto('events').values({ type: 'profile.updated', profile, subject: profile, data }).execute();
  while ((await dispatchEvents(ledger, 100)).events > 0);
  const { rows } = await sql<{ id: string }>`
    update webhook_deliveries set state = 'failed', attempts = 9, ended_at = now() where subscription = ${subscription} returning id
  `.execute(ledger);
  return rows[0]?.id as string;
}

/** A profile in review, with the command that decides it by these options. */
async function review(console: TestConsole, ...options: string[]) {
  const { profile } = await profileInReview(console, { name: 'Anna' });
  return { profile, command: ['profile', 'review', profile, ...options], audited: profile };
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
    guard: 'not_possible',
    async prepare(payments) {
      const order = await makeStuck(payments);
      return { input: { order, reason }, command: ['orders', 'give-back', order, '--reason', reason], audited: order };
    },
  },
  {
    verb: 'bank.reject-payment',
    guard: 'payout_decided',
    async prepare(payments) {
      const { id: payment } = await payments.sentPayout();
      return { input: { payment, state: 'sent', reason }, command: ['payments', 'reject', payment, reason], audited: payment };
    },
  },
  {
    verb: 'bank.match',
    guard: 'credit_not_unmatched',
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
    guard: 'not_possible',
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
    guard: 'not_found',
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
    verb: 'customers.approve',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--approve');
      return { input: { profile, reviews: 0 }, ...rest };
    },
    async isDone({ ledger }, { audited }) {
      // What the customer's application is told belongs to the request or command that decided.
      const events = await ledger.selectFrom('events').where('profile', '=', audited).select('correlationId').execute();
      expect(events).toEqual([{ correlationId: expect.any(String) as string }]);
    },
  },
  {
    verb: 'customers.reject',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--reject', reason);
      return { input: { profile, reviews: 0, reason }, ...rest };
    },
  },
  {
    verb: 'customers.ask-for-more',
    guard: 'profile_not_in_review',
    async prepare(_, console) {
      const { profile, ...rest } = await review(console, '--incomplete', `details.birthday=${reason}`);
      return { input: { profile, reviews: 0, errors: [{ field: 'details.birthday', reason }] }, ...rest };
    },
  },
  {
    verb: 'customers.release-address',
    guard: 'address_not_linked',
    async prepare({ ledger }) {
      const { address, profile } = await createCustomer(ledger, 'chiado');
      return { input: { address, profile }, command: ['address', 'release', address, '--profile', profile], audited: address };
    },
  },
  {
    verb: 'webhooks.replay',
    guard: 'not_possible',
    async forbid({ ledger }, { audited }) {
      const { subscription, application } = await ledger
        .selectFrom('webhookDeliveries as d')
        .innerJoin('webhookSubscriptions as s', 's.id', 'd.subscription')
        .where('d.id', '=', audited)
        .select(['d.subscription', 's.application'])
        .executeTakeFirstOrThrow();
      await deleteSubscription(ledger, application, subscription);
    },
    async prepare(payments) {
      const delivery = await failedDelivery(payments);
      return { input: { deliveries: [delivery] }, command: ['webhook', 'replay', delivery], audited: delivery };
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
    guard: 'not_found',
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
  const env = () => ({ DATABASE_URL: payments.url, MINTRAIL_ENVIRONMENT: 'sandbox', FOUR_EYES: fourEyes, CHIADO_TOKENS: tokens });
  const run = (...args: string[]) => mintrail(args, env());
  const takesTwo = (name: string) => fourEyes === 'yes' && requireVerb(name).needsSecondPerson !== false;
  const preview = (name: string, input: object) => asker.post(`/api/actions/${name}/preview`, input);
  beforeAll(async () => {
    console = await createTestConsole({ env: { FOUR_EYES: fourEyes, CHIADO_TOKENS: tokens }, url: payments.url });
    asker = await console.signedIn('administrator');
    second = await console.signedIn('administrator');
    viewer = await console.signedIn('viewer');
  });
  afterAll(() => console.close());

  it.each(twins)('$verb is the same by a command and in the console', async ({ verb: name, prepare, isDone }) => {
    const [ofCommand, ofPage] = [await prepare(payments, console), await prepare(payments, console)];
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
    const waits = takesTwo(name);
    const { json: shown } = await preview(name, ofCommand.input);
    expect(shown).toMatchObject({ needsSecondPerson: waits });
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
      expect(filed.json.description).toBe(shown.description);
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

  it.each(twins.filter(({ guard }) => guard !== undefined))(
    '$verb is refused in the same words by a command and in the console: $guard',
    async ({ verb: name, prepare, forbid, guard }) => {
      const subject = await prepare(payments, console);
      const { input, command, audited } = subject;
      const asAsker = ['--yes', '--as', asker.name];
      if (forbid) await forbid(payments, subject);
      else expect(await run(...command, ...asAsker, ...(takesTwo(name) ? ['--alone', alone] : []))).toMatchObject({ code: 0, stderr: '' });
      const before = await entriesOf(audited);
      // Whoever may not is told that first.
      const byViewer = await run(...command, '--yes', '--as', viewer.name);
      expect(byViewer.stderr).toContain('(role_not_sufficient)');
      expect((await viewer.act(name, input)).json).toMatchObject({ code: 'role_not_sufficient' });
      const refused = await run(...command, ...asAsker);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`(${guard})`) as string });
      for (const answer of [await preview(name, input), await asker.act(name, input)]) {
        const { code, message } = answer.json as { code: string; message: string };
        expect(`Error: ${message}\n(${code})\n`).toBe(refused.stderr);
      }
      expect(await entriesOf(audited)).toEqual(before);
    },
  );

  it.each(twins.filter(({ verb }) => takesTwo(verb)))(
    '$verb by a command without the second person is an alarm',
    async ({ verb: name, prepare, isDone }) => {
      const subject = await prepare(payments, console);
      const before = (await entriesOf(name)).length;
      const done = await run(...subject.command, '--yes', '--json', '--as', asker.name, '--alone', alone);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      await isDone?.(payments, subject);
      expect(await entriesOf(name, before)).toEqual([
        { action: 'operation.alone', actorKind: 'operator', actor: asker.name, fields: ['reason'], isTraced: true },
      ]);
      const text = expect.stringContaining(`${asker.name} did ${name} without`) as string;
      expect(await approvalProblems(payments.ledger)).toContainEqual(expect.objectContaining({ kind: 'acted_alone', text }));
    },
  );

  it.runIf(hasTerminal).each(fourEyes === 'no' ? twins : [])(
    '$verb asks on a terminal by the sentence of the console, and a no does nothing',
    async ({ verb: name, prepare }) => {
      const { input, command, audited } = await prepare(payments, console);
      const before = await entriesOf(audited);
      const { json } = await preview(name, input);
      const refused = await mintrailOnTerminal([...command, '--as', asker.name], env(), { shown: 'Do this?', keys: 'n' });
      expect(refused).toMatchObject({ code: 3, stdout: expect.stringContaining(json.description as string) as string });
      expect(await entriesOf(audited)).toEqual(before);
    },
  );
});
