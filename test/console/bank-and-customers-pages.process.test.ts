import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { returnCredit } from '../../src/ledger/bank/unmatched/return-credit.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { payment } from '../statements/bank-rail.ts';
import { hasChromium } from '../support/chromium/chromium.ts';
import { creditTo } from '../support/credits.ts';
import { createCustomer, type TestCustomer } from '../support/customer.ts';
import { createConsolePages } from './support/console-pages.ts';
import { lookRight } from './support/look-right.ts';
import { profileInReview } from './support/profile-in-review.ts';

const hostile = `<img src=x onerror=alert(1)>"'</script><script>alert(2)</script>`;
/** A PNG of one pixel. */
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

let console: Awaited<ReturnType<typeof createConsolePages>>;
let holder: TestCustomer;
let applicant: string;

describe.skipIf(!hasChromium)('the pages of the bank and of customers', () => {
  beforeAll(async () => {
    console = await createConsolePages({ env: { FOUR_EYES: 'yes', CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}` } });
    holder = await createCustomer(console.ledger, 'chiado');
    await recordMoney();
    ({ profile: applicant } = await profileInReview(console, { name: hostile, content: png, type: 'image/png' }));
  });
  afterAll(() => console?.close());

  it('are accessible, no wider than the screen, and run no script of a hostile name', async () => {
    const bank = ['', '/files', '/debits', '/claims', '/recalls', '/payments', '/payment-files', '/statements', '/closing'].map(
      (tab) => `/bank${tab}`,
    );
    await lookRight(console, 'administrator', [...bank, '/customers', '/customers?state=approved', `/customers/${applicant}`]);
  });

  it('a file is uploaded, and waits for a second person; one that is cut off is refused with the reason', async () => {
    const { page } = await console.openAs('treasurer', '/bank/files');
    const xml = statementXml({ entries: [{ amount: '12.00', reference: 'UP-1', transactions: [payment(holder.iban, '12.00')] }] });
    const choose = async (content: string) => {
      await page
        .getByLabel('File', { exact: true })
        .setInputFiles({ name: `${hostile}.xml`, mimeType: 'text/xml', buffer: Buffer.from(content) });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
    };
    await page.getByRole('button', { name: 'Upload a file' }).click();
    await choose(xml.slice(0, -20));
    await page.getByText('Nothing of the file was applied.', { exact: true }).waitFor();
    await choose(xml);
    await page.getByText('A second person has to approve this.').waitFor();
  });

  it("a match of another's name waits for a second person, and so does the end of a suspected repeat", async () => {
    const { page } = await console.openAs('treasurer', '/bank');
    const card = page.getByRole('region', { name: '30.00 EUR' });
    await card.getByText('≠ differs').first().waitFor();
    await card.getByRole('button', { name: 'Not a repeat: match' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('A second person has to approve this.').waitFor();
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('It waits for a second person.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close', exact: true }).last().click();

    await card.getByRole('button', { name: 'Repeat', exact: true }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('It waits for a second person.').waitFor();
  });

  it('a reviewer opens a document and asks for more; a viewer sees neither', async () => {
    const { page } = await console.openAs('reviewer', `/customers/${applicant}`);
    await page.getByRole('button', { name: /^Passport, front/ }).click();
    expect(
      await page
        .getByRole('img', { name: /^Document: Passport/ })
        .evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode()),
    ).toBeUndefined();
    const seen = await console.openAs('viewer', `/customers/${applicant}`);
    await seen.page.getByText('Documents are shown to reviewers and administrators.').waitFor();
    expect(await seen.page.getByRole('button', { name: /Approve|Reject|Ask for more|Release/ }).count()).toBe(0);

    await page.getByRole('button', { name: 'Ask for more' }).click();
    await page.getByLabel('Field 1').selectOption('details.firstName');
    await page.getByLabel('Reason 1').fill(hostile);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('The customer must submit again').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Ask for more' }).click();
    await page.getByText('Ask for more: done.').waitFor();
    expect(seen.complaints).toEqual([]);
  });
});

/** Credits of all kinds, and a return. */
async function recordMoney(): Promise<void> {
  const options = { defaultMemo: 'M', tokens: ['chiado:eur'], source: `${hostile}.xml` };
  const common = { bankAccount: 'NL26VAYB8060476890', message: 'camt.053', bookedOn: '2026-11-20' };
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const lost = { ...common, unmatched: 'the IBAN is not assigned' };
  const credits = [
    creditTo(holder.iban, 3_000n, { ...common, reference: 'FIRST', payer, endToEndId: 'RENT-11', remittance: 'Rent' }),
    creditTo('IS030159260000001234567890', 123_456_789n, { ...lost, reference: 'LOST', payer: { name: hostile }, remittance: hostile }),
    creditTo('IS030159260000001234567890', 3_000n, { ...lost, reference: 'BACK', payer }),
  ];
  const suspected = creditTo(holder.iban, 3_000n, {
    ...common,
    reference: 'SECOND',
    railReason: 'suspected_repeat',
    unmatched: 'it may be the money of FIRST',
    mayRepeat: 'FIRST',
    payer: { name: 'J JONSSON' },
    endToEndId: 'RENT-11',
    remittance: 'Rent November',
    message: 'camt.054',
  });
  for (const ofFile of [credits, [suspected]]) await recordCredits(console.ledger, ofFile, options);
  const { payment: id = '' } = await returnCredit(console.ledger, 'BACK');
  const file = await console.ledger
    .insertInto('paymentFiles')
    .values({ name: 'pain001-20261122.xml', content: '<Document/>' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await console.ledger.updateTable('payments').set({ file: file.id }).where('id', '=', id).execute();
  await console.ledger
    .insertInto('bankFiles')
    .values({
      hash: Buffer.alloc(32),
      name: `${hostile}.xml`,
      message: 'pain.002',
      report: JSON.stringify({ counts: { accepted: 2, refused: 1 }, alerts: [], omitted: 0 }),
    })
    .execute();
  await console.ledger
    .insertInto('bankDebits')
    .values({
      reference: 'DEBIT',
      account: 'NL26VAYB8060476890',
      currency: 'eur',
      amount: minorUnits(250n),
      bookedOn: '2026-11-20',
      payee: JSON.stringify({ name: hostile }),
      remittance: hostile,
      source: 'statement.xml',
      state: 'unexplained',
    })
    .execute();
  await console.ledger
    .insertInto('bankStatements')
    .values({
      account: 'NL26VAYB8060476890',
      currency: 'eur',
      number: '118',
      fromOn: '2026-11-20',
      closedOn: '2026-11-20',
      opening: minorUnits(0n),
      closing: minorUnits(3_000n),
      gap: 'statement 117 is missing',
    })
    .execute();
}
