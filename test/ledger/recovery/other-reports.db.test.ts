import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { explainDebit } from '../../../src/ledger/bank/debits/explain-debit.ts';
import { repeatCredit } from '../../../src/ledger/bank/unmatched/repeat-credit.ts';
import { idOfCreditOrder } from '../../support/derived-order-ids.ts';
import { acceptOutcome, setOutcomesAside } from '../../../src/ledger/recovery/decide-outcomes.ts';
import { recover } from '../../../src/ledger/recovery/recover.ts';
import { listOpenOutcomes } from '../../../src/ledger/recovery/unrecorded-outcomes.ts';
import { loadSettings } from '../../../src/platform/settings.ts';
import { compareBookWithBank } from '../../../src/reconciliation/book-and-bank.ts';
import { masterIban, type StatementSpec } from '../../bank/iso20022/camt/statement-xml.ts';
import { money, payment, testRail } from '../../statements/bank-rail.ts';
import { operatorsDecision } from '../../statements/bookings.ts';

const options = { apply: true, operator: 'otto', defaultMemo: 'Powered by Mintrail', chains: [] };
const uetr = '3f2d8b1a-6c47-4e0b-9d51-7a2e4c8f9b10';

const rail = testRail();

type Message = 'camt.053' | 'camt.054';

/** A file that reports 10.00 under a reference of the bank. */
const report = (message: Message, reference: string, refs: Record<string, string>): StatementSpec => ({
  id: `${message} ${reference}`,
  message,
  entries: [{ amount: '10.00', reference, transactions: [payment(rail.customer.iban, '10.00', { refs })] }],
});
const notification = (refs: Record<string, string>) => report('camt.054', 'N', refs);
const statement = (refs: Record<string, string>) => report('camt.053', 'S', refs);

/** Imports a file, and returns the order of its credit. */
async function importFile(file: StatementSpec): Promise<string | undefined> {
  await rail.import(file);
  const orders = await rail.ledger.selectFrom('orders').select('id').execute();
  return orders[0]?.id;
}

/** The id that the order had, whose file the lost ledger imported first. */
async function lostOrder(file: StatementSpec): Promise<string> {
  const id = await importFile(file);
  await rail.empty();
  return id ?? '';
}

/** The chain has issued 10.00 under an order id. */
async function issued(orderId: string, { account = rail.customer.address, amount = 1_000 } = {}): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, tx_hash, block_number)
    values ('chiado', 'issue', '0x12', 'eur', ${orderId}, ${account}, ${amount}, 5, ${`0x${randomBytes(32).toString('hex')}`}, 9) returning id
  `.execute(rail.ledger);
  return rows[0]?.id ?? '';
}

const issueLegs = () => rail.ledger.selectFrom('legs').where('kind', '=', 'issue').select(['orderId', 'state', 'sequence']).execute();

describe('an issue under the reference of another report of the same credit', () => {
  it('is recognised, whichever report is imported first', async () => {
    const refs = { UETR: uetr, EndToEndId: 'RENT' };
    await issued(await lostOrder(notification(refs)));
    const order = await importFile(statement(refs));
    expect(await recover(rail.ledger, options)).toMatchObject({ legs: 0, openCount: 1, open: [{ sameIssue: { orderId: order } }] });
    await importFile(notification(refs));
    expect(await recover(rail.ledger, options)).toMatchObject({ legs: 1, openCount: 0, isEnded: true });
    expect(await issueLegs()).toEqual([{ orderId: order, state: 'done', sequence: 5n }]);
  });

  it('is recognised while the other report is held', async () => {
    await issued(await lostOrder(notification({ UETR: uetr, EndToEndId: 'RENT' })));
    await importFile(statement({ UETR: uetr, EndToEndId: 'GAS' }));
    await importFile(notification({ UETR: uetr, EndToEndId: 'RENT' }));
    expect(await recover(rail.ledger, options)).toMatchObject({ legs: 1, openCount: 0 });
    const held = await rail.ledger.selectFrom('credits').where('state', '=', 'unmatched').select('reference').executeTakeFirstOrThrow();
    await repeatCredit(rail.ledger, held.reference);
    expect(await issueLegs()).toMatchObject([{ state: 'done', sequence: 5n }]);
  });

  it('is recognised when it was the entry as a whole', async () => {
    const order = await importFile(statement({}));
    const credit = await rail.ledger.selectFrom('credits').selectAll().executeTakeFirstOrThrow();
    await rail.ledger.updateTable('credits').set({ entryReference: 'WHOLE', entryAmount: '1000' }).execute();
    await issued(await idOfCreditOrder(rail.ledger, 'WHOLE'));
    expect(credit.orderId).toBe(order);
    expect(await recover(rail.ledger, options)).toMatchObject({ legs: 1, openCount: 0 });
  });

  it('and of another amount explains nothing', async () => {
    const refs = { UETR: uetr };
    await issued(await lostOrder(notification(refs)), { amount: 999 });
    await importFile(statement(refs));
    await importFile(notification(refs));
    expect(await recover(rail.ledger, options)).toMatchObject({ legs: 0, openCount: 1, open: [{ sameIssue: null }] });
  });
});

describe('an issue that an order waits for', () => {
  it('is not set aside, and is the order’s once an operator accepts it', async () => {
    const refs = { UETR: uetr };
    const outcome = await issued(await lostOrder(notification(refs)));
    const order = (await importFile(statement(refs))) ?? '';
    await expect(setOutcomesAside(rail.ledger, [outcome], 'nobody', 'otto')).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining(`mintrail recover accept ${outcome} --order ${order}`) as string,
    });
    await acceptOutcome(rail.ledger, outcome, order);
    expect(await issueLegs()).toEqual([{ orderId: order, state: 'done', sequence: 5n }]);
    expect(await listOpenOutcomes(rail.ledger, 10)).toEqual([]);
    await importFile(notification(refs));
    expect(await issueLegs()).toHaveLength(1);
  });

  it('of another order of this ledger is not taken for it', async () => {
    const first = (await importFile(statement({}))) ?? '';
    const outcome = await issued(first, { amount: 1_000 });
    await rail.import(report('camt.053', 'T', {}));
    const second = (await issueLegs()).find(({ orderId }) => orderId !== first)?.orderId;
    expect(second).toBeDefined();
    await expect(acceptOutcome(rail.ledger, outcome, second)).rejects.toMatchObject({
      code: 'not_possible',
      message: expect.stringContaining('see `mintrail recover`') as string,
    });
  });
});

describe('an issue before or after the charges of what its order waits for', () => {
  const settings = { settings: loadSettings({ DATABASE_URL: 'postgres://', BANK_ACCOUNT: masterIban }) };
  const bookedOn = '2026-11-20';
  const gross = { amount: '100.00', bookedOn, reference: 'G', transactions: [payment(rail.customer.iban, '100.00')] };
  const net = { ...gross, amount: '99.50', reference: 'N', transactions: [payment(rail.customer.iban, '100.00', { charges: '0.50' })] };
  type Entry = typeof gross;
  const files = (notified: Entry, stated: Entry): StatementSpec[] => [
    { id: 'N', message: 'camt.054', entries: [notified] },
    { id: 'S', day: bookedOn, opening: '0', closing: stated.amount, entries: [stated] },
  ];
  const importAll = async (all: readonly StatementSpec[]) => {
    for (const file of all) await rail.import(file, settings);
  };

  /** Credits and debits in cents, and what book and bank differ by. */
  async function outcome() {
    const debits = await rail.ledger.selectFrom('bankDebits').select('amount').where('state', '<>', 'replaced').execute();
    return {
      credits: (await money(rail.ledger)).map((text) => text.replace(/^\S+ /, '')).toSorted(),
      debits: debits.map(({ amount }) => Number(amount)),
      differences: (await compareBookWithBank(rail.ledger)).flatMap(({ difference }) => (difference === 0n ? [] : difference)),
    };
  }

  /** What there was when its order was issued, which a ledger that has read the files in the other order does not know. */
  async function lose(all: readonly StatementSpec[]) {
    await importAll(all);
    const { id, amount } = await rail.ledger.selectFrom('orders').select(['id', 'amount']).executeTakeFirstOrThrow();
    const lost = await outcome();
    await rail.empty();
    const outcomeId = await issued(id, { amount: Number(amount) });
    await importAll(all.toReversed());
    return { lost, outcomeId, amount };
  }

  it.each([
    ['notified before and stated after them, the notification first', files(gross, net)],
    ['notified before and stated after them, the statement first', files(gross, net).toReversed()],
    ['both under one number', files(gross, { ...net, reference: 'G' })],
    ['notified after and stated before them, the notification first', files(net, gross)],
    ['notified after and stated before them, the statement first', files(net, gross).toReversed()],
  ])('is the order’s once an operator accepts it, and all is as it was: %s', async (_, all) => {
    const { lost, outcomeId, amount } = await lose(all);
    const { open } = await recover(rail.ledger, options);
    const order = open[0]?.sameIssue?.orderId;
    await expect(setOutcomesAside(rail.ledger, [outcomeId], 'nobody', 'otto')).rejects.toMatchObject({ code: 'not_possible' });
    await acceptOutcome(rail.ledger, outcomeId, order);
    expect(await outcome()).toEqual(lost);
    const [done] = await rail.ledger.selectFrom('legs').select(['state', 'amount']).execute();
    expect(done).toEqual({ state: 'done', amount });
    await importAll(all.map((file) => ({ ...file, id: `${file.id}2` })));
    expect(await outcome()).toEqual(lost);
  });

  it('leaves the customer’s rest where the charges were explained meanwhile', async () => {
    const { outcomeId } = await lose(files(gross, net).toReversed());
    await explainDebit(rail.ledger, `${masterIban}:G#kept`, { explanation: { as: 'fee' }, ...operatorsDecision });
    const { open } = await recover(rail.ledger, options);
    await acceptOutcome(rail.ledger, outcomeId, open[0]?.sameIssue?.orderId);
    expect(await outcome()).toEqual({ credits: ['50 unmatched', '9950 matched'], debits: [50], differences: [] });
  });
});
