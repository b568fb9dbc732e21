import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import type { NewCredit } from '../../src/ledger/bank/match-credits.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { masterIban, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { payment } from '../statements/bank-rail.ts';
import { creditTo } from '../support/credits.ts';
import { createCustomer } from '../support/customer.ts';
import { createTestConsole, useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const hostile = `<img src=x onerror=alert(1)>"'; drop table credits;--`;
const options = { defaultMemo: 'M', tokens: ['chiado:eur'], source: 'statement.xml' };

const console = useTestConsole({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` } });
const customer = forWholeFile(() => createCustomer(console.ledger, 'chiado'));
const treasurer = forWholeFile(() => console.signedIn('treasurer'));
const second = forWholeFile(() => console.signedIn('treasurer'));
const viewer = forWholeFile(() => console.signedIn('viewer'));

/** A credit that became no order. */
async function unmatched(reference: string, more: Partial<NewCredit> = {}) {
  const credit = { reference, bankAccount: 'M', unmatched: 'the IBAN is not assigned', payer: { name: hostile }, ...more };
  await recordCredits(console.ledger, [creditTo('IS1', 1_000n, credit)], options);
  return { reference, amount: '10.00' };
}

/** A credit without a reason of the reader's that waits because its IBAN was assigned to nobody when it came. */
async function beforeItsIban(reference: string, name: string) {
  const { iban } = customer;
  await console.ledger.updateTable('ibans').set({ state: 'pending' }).where('iban', '=', iban).execute();
  await recordCredits(console.ledger, [creditTo(iban, 1_000n, { reference, bankAccount: 'M', payer: { name } })], options);
  await console.ledger.updateTable('ibans').set({ state: 'approved' }).where('iban', '=', iban).execute();
  return { reference, amount: '10.00' };
}

const stateOf = async (reference: string) =>
  (await console.ledger.selectFrom('credits').where('reference', '=', reference).select('state').executeTakeFirstOrThrow()).state;

/** Files that wait for a second person. */
const stored = () => readdirSync(path.join(console.dataDir, 'files')).filter((name) => name !== 'arriving');

const orders = async () => (await console.ledger.selectFrom('orders').select('id').execute()).length;

/** The second person approves what waits. */
const approve = (id: string) => second.decide(id);

const upload = async (content: string | Uint8Array, name: string, as = treasurer) => {
  const response = await console.app.request(`http://localhost:3010/api/bank/files?name=${encodeURIComponent(name)}`, {
    method: 'POST',
    headers: {
      Host: 'localhost:3010',
      'Sec-Fetch-Site': 'same-origin',
      Origin: 'http://localhost:3010',
      'Content-Type': 'application/octet-stream',
      Cookie: `console-3010=${as.secret}`,
    },
    body: content,
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

describe('an action', () => {
  it.each([
    ['bank.match', { reference: 'X', amount: null }],
    ['bank.return', { reference: 'X', amount: null }],
    ['bank.repeat', { reference: 'X', amount: null }],
    ['bank.settle', { reference: 'X', amount: null, as: 'own', reason: 'r' }],
    ['bank.not-booked', { reference: 'X', reason: 'r' }],
    ['bank.explain', { debit: 'X', as: 'fee', reason: 'r' }],
    ['bank.accept-gap', { statement: crypto.randomUUID(), reason: 'r' }],
    ['bank.recover-claim', { claim: 'X', credit: 'Y' }],
    ['bank.write-off-claim', { claim: 'X', reason: 'r' }],
    ['bank.undo-claim', { claim: 'X', reason: 'r' }],
    ['bank.accept-recall', { recall: crypto.randomUUID() }],
    ['bank.refuse-recall', { recall: crypto.randomUUID(), code: 'CUST' }],
    ['bank.undo-recall', { recall: crypto.randomUUID(), reason: 'r' }],
    ['bank.reject-payment', { payment: crypto.randomUUID(), state: 'ready', reason: 'r' }],
  ])('%s takes something that is there', async (action, input) => {
    const { json } = await treasurer.act(action, input);
    expect([json.code, json.message]).toEqual([
      expect.stringMatching(/^(not_found|not_possible|unknown_payout)$/),
      expect.stringMatching(/^There is no|^No (statement is missing|credit was taken back)|is no credit that only/),
    ]);
  });
});

const goodFile = () =>
  statementXml({ entries: [{ amount: '10.00', reference: 'FILE-1', transactions: [payment(customer.iban, '10.00')] }] });

describe('a file', () => {
  it('that is cut off is refused with its reason, and nothing of it is applied', async () => {
    expect(await upload(goodFile().slice(0, -30), 'cut.xml')).toMatchObject({ status: 409, json: { code: 'statement_truncated' } });
    expect((await viewer.get('/api/bank/files')).json).toEqual({ files: [] });
  });

  it('is applied once, when a second person says so, shows its report, and the audit log names them', async () => {
    const uploaded = await upload(goodFile(), `C:\\bank\\${hostile}.xml`);
    expect(uploaded).toMatchObject({ status: 202, json: { state: 'waiting' } });
    // Whoever uploads a file could have written it.
    expect((await viewer.get('/api/bank/files')).json).toEqual({ files: [] });
    expect(await orders()).toBe(0);
    const id = uploaded.json['approval'] as string;
    const { description, digest } = (await second.get(`/api/approvals/${id}`)).json;
    expect(description).toMatch(/: 1 credit becomes an order \(10\.00 EUR\)\.$/);
    expect(await treasurer.post(`/api/approvals/${id}/approve`, { digest })).toMatchObject({ status: 403 });
    expect(await approve(id)).toMatchObject({ status: 200, json: { result: { state: 'applied' } } });
    expect(await orders()).toBe(1);
    expect(await upload(goodFile(), 'again.xml')).toMatchObject({ status: 200, json: { state: 'already_imported' } });
    const { files } = (await viewer.get('/api/bank/files')).json;
    expect(files).toMatchObject([{ message: 'camt.053', counts: { issued: 1 }, sums: { issued: { eur: '10.00' } }, alerts: 0 }]);
    expect((await viewer.get(`/api/bank/files/${files[0].hash}`)).json.report).toMatchObject({ state: 'applied', lines: [] });
    const audit = await console.ledger.selectFrom('auditLog').where('action', '=', 'bank.import').select('actor').execute();
    expect(audit).toEqual([{ actor: second.name }]);
  });

  it('of which nothing comes is deleted', async () => {
    expect(stored()).toEqual([]);
    const uploaded = await upload(goodFile().replace('FILE-1', 'FILE-2'), 'forged.xml');
    expect(stored()).toHaveLength(1);
    const id = uploaded.json['approval'] as string;
    await second.decide(id, 'refuse');
    await upload('', 'next.xml');
    expect(stored()).toEqual([]);
    expect(await orders()).toBe(1);
  });

  it('finds room, of its operator and of all, until what waits is decided, and else is not received', async () => {
    const fill = (operator: string, bytes: number) =>
      console.pool.query('insert into bank_uploads (file, operator, bytes) values (gen_random_uuid(), $1, $2)', [operator, bytes]);
    const another = goodFile().replace('FILE-1', 'FILE-3');
    await fill(treasurer.name, 1024 ** 3 - 100);
    expect(await upload(another, 'more.xml')).toMatchObject({
      status: 409,
      json: { code: 'not_possible', message: expect.stringMatching(/of which 1024 MB are yours.*at most 1024 MB of one/) as string },
    });
    expect(stored()).toEqual([]);
    const ofSecond = await upload(another, 'more.xml', second);
    expect(ofSecond).toMatchObject({ status: 202 });
    await fill(viewer.name, 3 * 1024 ** 3 - 1000);
    expect(await upload(another, 'more.xml', second)).toMatchObject({
      status: 409,
      json: { code: 'not_possible', message: expect.stringContaining('wait already') as string },
    });
    // What began a day ago and has not arrived never will.
    await console.pool.query("update bank_uploads set begun_at = now() - interval '2 days' where approval is null");
    await second.post(`/api/approvals/${String(ofSecond.json['approval'])}/withdraw`);
    expect(await upload('<Document/>', 'next.xml')).toMatchObject({ status: 409, json: { code: 'statement_unsupported' } });
    expect((await console.pool.query('select from bank_uploads')).rows).toHaveLength(0);
    expect(stored()).toEqual([]);
  });

  it('is one that was uploaded, and nothing else that is stored, such as a document of a customer', async () => {
    const document = crypto.randomUUID();
    writeFileSync(path.join(console.dataDir, 'files', document), goodFile());
    const answer = await treasurer.act('bank.import', { file: document, name: 'statement.xml' });
    expect(answer).toMatchObject({ status: 409, json: { code: 'file_unreadable', message: 'No such file was uploaded: upload it again' } });
    rmSync(path.join(console.dataDir, 'files', document));
  });

  it('that the inbox refused is listed with its reason until it is applied', async () => {
    const inbox = path.join(console.dataDir, 'inbox');
    const other = await createTestConsole({ env: { BANK_INBOX: inbox } });
    try {
      const reader = await other.signedIn('viewer');
      expect((await reader.get('/api/bank/files/refused')).json).toEqual({ inbox, files: [], hasMore: false });
      mkdirSync(path.join(inbox, 'failed'), { recursive: true });
      writeFileSync(path.join(inbox, 'failed', 'bad.xml'), 'bad');
      const report = { error: { code: 'statement_malformed', message: hostile } };
      writeFileSync(path.join(inbox, 'failed', 'bad.xml.report.json'), JSON.stringify(report));
      expect((await reader.get('/api/bank/files/refused')).json.files).toMatchObject([{ name: 'bad.xml', error: report.error }]);
    } finally {
      await other.close();
    }
  });
});

describe('an unmatched credit', () => {
  it('is matched at once when its payer is the holder', async () => {
    const credit = await beforeItsIban('OWN', 'KARLSSON, Anna');
    expect((await treasurer.act('bank.match', credit)).json).toMatchObject({ state: 'done', result: { chain: 'chiado' } });
    expect(await stateOf('OWN')).toBe('matched');
  });

  it("of another's name takes a second person, who reads both names and the address", async () => {
    const credit = await beforeItsIban('OTHER', 'Mallory');
    const { json } = await treasurer.act('bank.match', credit);
    expect(json).toMatchObject({ state: 'waiting' });
    const { description } = (await second.get(`/api/approvals/${json.approval}`)).json;
    expect(description).toContain('Issue 10.00 EUR, paid by Mallory, to Anna Karlsson');
    expect(description.toLowerCase()).toContain(`at ${customer.address} on chiado`);
    expect(await stateOf('OTHER')).toBe('unmatched');
    expect(await approve(json.approval)).toMatchObject({ status: 200 });
    expect(await stateOf('OTHER')).toBe('matched');
  });

  it('whose IBAN leads to another address by now is not matched as it was approved', async () => {
    const credit = await beforeItsIban('MOVED', 'Mallory');
    const { json } = await treasurer.act('bank.match', credit);
    const address = lowerAddress(`0x${'7'.repeat(40)}`);
    const before = await console.ledger.selectFrom('ibans').where('iban', '=', customer.iban).select('address').executeTakeFirstOrThrow();
    const { user, profile } = customer;
    await console.ledger.insertInto('addresses').values({ address, profile }).execute();
    await console.ledger.insertInto('addressLinks').values({ address, chain: 'chiado', linkedBy: user }).execute();
    await console.ledger.updateTable('ibans').set({ address }).where('iban', '=', customer.iban).execute();
    expect(await approve(json.approval)).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('This has changed since it was read') as string },
    });
    expect(await stateOf('MOVED')).toBe('unmatched');
    await console.ledger.updateTable('ibans').set(before).where('iban', '=', customer.iban).execute();
    await console.ledger.deleteFrom('credits').where('reference', '=', 'MOVED').execute();
  });

  it('that may repeat another is listed beside it, and ends as its repeat when two say so', async () => {
    await recordCredits(console.ledger, [creditTo(customer.iban, 1_000n, { reference: 'FIRST', bankAccount: 'M', payer: {} })], options);
    const suspected = { iban: customer.iban, railReason: 'suspected_repeat', mayRepeat: 'FIRST' };
    const credit = await unmatched('SECOND', { ...suspected, unmatched: 'it may be the money of FIRST' });
    const { rows: credits } = (await viewer.get('/api/bank/unmatched')).json;
    expect(credits.find(({ reference }: { reference: string }) => reference === 'SECOND')).toMatchObject({
      payer: { name: hostile },
      actions: ['match', 'repeat', 'return', 'settle'],
      repeats: { reference: 'FIRST', amount: '10.00', state: 'matched' },
    });
    const { json } = await treasurer.act('bank.repeat', credit);
    expect(await stateOf('SECOND')).toBe('unmatched');
    expect(await approve(json.approval)).toMatchObject({ status: 200, json: { result: { of: ['FIRST'] } } });
    expect(await stateOf('SECOND')).toBe('repeated');
  });

  it('that is no repeat becomes an order, when two say so', async () => {
    const suspected = { iban: customer.iban, railReason: 'suspected_repeat', mayRepeat: 'FIRST' };
    const credit = await unmatched('THIRD', { ...suspected, payer: { name: 'Anna Karlsson' }, unmatched: 'it may be the money of FIRST' });
    const { json } = await treasurer.act('bank.match', credit);
    expect(json.state).toBe('waiting');
    await approve(json.approval);
    expect(await stateOf('THIRD')).toBe('matched');
  });

  it('is returned by two, and its payment is listed with its file, which a download leaves as it is', async () => {
    const credit = await unmatched('BACK', { payer: { name: 'Jón', iban: 'IS140159260076545510730339' } });
    const { json } = await treasurer.act('bank.return', credit);
    const { payment: id } = (await approve(json.approval)).json.result;
    const { rows } = (await viewer.get('/api/bank/payments?kind=return&state=ready')).json;
    expect(rows).toMatchObject([{ id, payee: 'Jón', amount: '10.00', state: 'ready', credit: 'BACK' }]);

    const file = { name: '../a"b.xml', content: '<Document/>' };
    const { id: fileId } = await console.ledger.insertInto('paymentFiles').values(file).returning('id').executeTakeFirstOrThrow();
    await console.ledger.updateTable('payments').set({ file: fileId }).where('id', '=', id).execute();
    const [listed] = (await viewer.get('/api/bank/payment-files')).json.rows;
    expect(listed).toMatchObject({ payments: '1', sum: '10.00', writtenAt: null });
    const answer = await treasurer.get(`/api/bank/payment-files/${listed.messageId}/content`);
    expect(answer.text).toBe('<Document/>');
    expect(answer.headers.get('Content-Disposition')).toBe('attachment; filename=".._a_b.xml"');
    expect((await viewer.get('/api/bank/payment-files')).json.rows).toEqual([listed]);
    expect((await viewer.get('/api/bank/payments?state=ready')).json.rows).toHaveLength(1);
  });

  it('is not returned to an IBAN that is none, nor to a name that hides something', async () => {
    const credit = await unmatched('WHERE');
    const to = { toIban: 'is14 0159 2600 7654 5510 7303 39', toName: 'Jón' };
    const preview = async (change: object) => (await treasurer.act('bank.return/preview', { ...credit, ...to, ...change })).json;
    expect((await preview({})).description).toContain("another account than its payer's: Jón (IS140159260076545510730339)");
    for (const toIban of ['IS140159260076545510730338', 'IS14\u200b0159260076545510730339', ''])
      expect(await preview({ toIban })).toMatchObject({ fields: { toIban: 'must be a valid IBAN' } });
    expect(await preview({ toName: 'Jón\u202e' })).toMatchObject({
      code: 'invalid_request',
      fields: { toName: expect.any(String) as string },
    });
    await console.ledger.deleteFrom('credits').where('reference', '=', 'WHERE').execute();
  });

  it('whose amount a report changes at the moment at which it is returned is not returned', async () => {
    const credit = await unmatched('MOVING', { payer: { name: 'Jón', iban: 'IS140159260076545510730339' } });
    const { approval } = (await treasurer.act('bank.return', credit)).json;
    const report = await console.pool.connect();
    await report.query("begin; update credits set amount = 900 where reference = 'MOVING'");
    const answer = approve(approval);
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
    await expect.poll(async () => (await console.pool.query(waiting)).rows.length).toBeGreaterThan(0);
    await report.query('commit');
    report.release();
    expect(await answer).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('a report of the bank has changed it') as string },
    });
    expect(await stateOf('MOVING')).toBe('unmatched');
    await approve((await treasurer.act('bank.return', { ...credit, amount: '9.00' })).json.approval);
    expect(await stateOf('MOVING')).toBe('returned');
  });

  it('whose amount has changed since it was shown is not decided', async () => {
    const { reference } = await unmatched('LESS');
    const refusal = await treasurer.act('bank.settle', { reference, amount: '20.00', as: 'own', reason: 'a top-up' });
    expect(refusal).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('a report of the bank has changed it') as string },
    });
    const { json } = await treasurer.act('bank.settle', { reference, amount: '10.00', as: 'own', reason: 'a top-up' });
    await approve(json.approval);
    expect(await stateOf(reference)).toBe('settled');
  });

  it('is found by what its payer says: the amount, the name, a reference, the IBAN that does not exist; and shown alone', async () => {
    const wrongIban = 'IS030159260000001234567890';
    await unmatched('MISSED-1', {
      amount: minorUnits(50_000n),
      payer: { name: 'Petra 100% Völundardóttir', iban: 'DE89370400440532013000' },
      endToEndId: 'SAVINGS-7',
      remittance: 'For my wallet',
      unmatched: `the creditor's IBAN ${wrongIban} is not valid`,
    });
    const texts = [
      '500',
      'EUR 500,00',
      'völundardóttir',
      '100%',
      'MISSED-1',
      'savings-7',
      'my wallet',
      'DE89 3704 0044 0532 0130 00',
      wrongIban,
    ];
    for (const text of texts) {
      const { orders, credits } = (await viewer.get(`/api/orders?q=${encodeURIComponent(text)}`)).json;
      expect({ text, orders, credits }).toMatchObject({
        text,
        orders: [],
        credits: [{ reference: 'MISSED-1', amount: '500.00', payerName: 'Petra 100% Völundardóttir' }],
      });
    }
    for (const text of ['500 USD', '1005', 'MISSED_1', '%00']) {
      expect(await creditsFoundBy(text), text).toEqual([]);
    }
    expect((await viewer.get('/api/orders')).json.credits).toEqual([]);
    expect((await viewer.get('/api/bank/unmatched?only=MISSED-1')).json.rows).toMatchObject([{ reference: 'MISSED-1' }]);
    const { json } = await treasurer.act('bank.settle', { reference: 'MISSED-1', amount: '500.00', as: 'own', reason: 'a top-up' });
    await approve(json.approval);
    expect((await viewer.get('/api/orders?q=500')).json.credits).toEqual([]);
  });

  it('is found in the same way after it was returned, with what became of it, however many were returned since', async () => {
    const payer = { name: 'Sigríður Back', iban: 'IS140159260076545510730339' };
    await unmatched('SENT-BACK', { amount: minorUnits(7_531n), payer, endToEndId: 'BACK-7' });
    await unmatched('NOBODY', { amount: minorUnits(7_532n), payer: {} });
    for (const [reference, amount] of [
      ['SENT-BACK', '75.31'],
      ['NOBODY', '75.32'],
    ] as const)
      expect(await approve((await treasurer.act('bank.return', { reference, amount })).json.approval)).toMatchObject({ status: 200 });
    const reason = 'the IBAN is not assigned';
    for (const text of ['75.31', 'EUR 75,31', 'sent-back', 'back-7', 'sigríður', 'IS14 0159 2600 7654 5510 7303 39'])
      expect({ text, found: await creditsFoundBy(text) }).toMatchObject({
        text,
        found: expect.arrayContaining([
          expect.objectContaining({ reference: 'SENT-BACK', state: 'returned', amount: '75.31', payment: 'ready', reason }),
        ]),
      });
    expect(await creditsFoundBy('75.32'), 'whose payer the bank does not name').toMatchObject([{ state: 'returned', payment: null }]);
    await console.pool.query(`
      insert into credits (reference, bank_account, iban, currency, amount, payer, source, state, reason, received_at, returned_at)
      select 'LATER-' || n, 'M', 'IS1', 'eur', 1, '{}', 'test', 'returned', 'r', now() + interval '1 day', now() from generate_series(1, 5000) n`);
    expect(await creditsFoundBy('back-7'), 'the search is bounded').toEqual([]);
    expect(await creditsFoundBy('SENT-BACK'), 'and not by a reference').toMatchObject([{ reference: 'SENT-BACK', state: 'returned' }]);
  });

  it('is in pages, the oldest first', async () => {
    await unmatched('P1');
    await unmatched('P2');
    const first = (await viewer.get('/api/bank/unmatched?limit=1')).json;
    expect(first.rows).toMatchObject([{ reference: 'P1' }]);
    const next = (await viewer.get(`/api/bank/unmatched?limit=1&after=${first.next}`)).json;
    expect(next).toMatchObject({ rows: [{ reference: 'P2' }] });
    expect((await viewer.get('/api/bank/waiting')).json.unmatched).toBe(2);
  });
});

it('notified credits that the statements lack are listed with the statements, until two say that the bank has not booked them', async () => {
  const reference = 'NEVER-BOOKED';
  const notified = { bankAccount: masterIban, bookedOn: '2026-11-18', isAwaited: true, payer: { name: 'Jón' } };
  await unmatched(reference, notified);
  const before = (await viewer.get('/api/bank/waiting')).json.statements as number;
  const awaited = async () => (await viewer.get('/api/bank/awaited')).json.awaited as unknown[];
  expect(await awaited()).toEqual([]);
  const { json: uploaded } = await upload(statementXml({ id: 'LACKS-IT', day: '2026-11-23', opening: '0.00' }), 'lacks-it.xml');
  await approve(uploaded['approval'] as string);
  expect(await awaited()).toMatchObject([{ account: masterIban, count: 1, oldest: reference }]);
  expect((await viewer.get('/api/bank/waiting')).json.statements).toBe(before + 1);
  const { json } = await treasurer.act('bank.not-booked', { reference, reason: 'the bank says so' });
  const { description } = (await second.get(`/api/approvals/${json.approval}`)).json;
  expect(description).toBe(
    `Take back 10.00 EUR from Jón, notified as ${reference}, because the bank has not booked it. It waits unmatched: it becomes no order. Reason: the bank says so`,
  );
  expect(await stateOf(reference)).toBe('unmatched');
  expect(await approve(json.approval)).toMatchObject({ status: 200, json: { result: { credit: reference, amount: '10.00' } } });
  expect(await stateOf(reference)).toBe('reversed');
  expect(await awaited()).toEqual([]);
});

/** The credits that the search of the Orders page finds. */
async function creditsFoundBy(text: string) {
  return (await viewer.get(`/api/orders?q=${encodeURIComponent(text)}`)).json.credits;
}

it('the closing of a day is that of the command line', async () => {
  const day = new Date().toISOString().slice(0, 10);
  const { json } = await viewer.get(`/api/bank/closing/${day}`);
  expect(json).toMatchObject({ day, isOver: false, safeguarding: [{ currency: 'eur', isBalanced: true, trialBalance: '0.00' }] });
  const csv = await viewer.get(`/api/bank/closing/${day}/csv`);
  expect(csv.text.split('\n')).toHaveLength(1 + json.accounts.length);
  expect(await viewer.get('/api/bank/closing/today')).toMatchObject({ status: 400 });
});
