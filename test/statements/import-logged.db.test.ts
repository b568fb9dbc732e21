import { beforeEach, expect, it } from 'vitest';
import { createLog } from '../../src/platform/log.ts';
import type { StatementFile } from '../../src/statements/file-report.ts';
import { importLogged } from '../../src/statements/import-logged.ts';
import { stream } from '../bank/iso20022/camt/reading.ts';
import { statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { statusXml } from '../bank/iso20022/pain/status-xml.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';
import { payment } from './bank-rail.ts';
import { sendPayouts } from './payouts-sent.ts';

const at = testPayments();
let lines: Record<string, unknown>[];
beforeEach(() => {
  lines = [];
});

const log = createLog('info', {}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
const file = (name: string, xml: string): StatementFile => ({
  name,
  chunks: stream([xml]),
  options: { defaultMemo: 'memo', tokens: ['chiado:eur'] },
});

it('names the orders whose payments a status report decides, with what made them, and none the second time', async () => {
  const { payouts } = await sendPayouts(at, 2);
  await at.ledger
    .updateTable('orders')
    .set({ correlationId: 'request-1' })
    .where('id', '=', payouts[0]?.order ?? '')
    .execute();
  const payments = payouts.map(({ endToEndId }, index) => ({ endToEndId, status: index === 0 ? 'ACSC' : 'RJCT', reason: 'AC04' }));
  await importLogged(at.ledger, log, file('status.xml', statusXml({ payments })));
  const orderIds = expect.toSatisfy(
    (ids: string[]) =>
      ids.toSorted().join() ===
      payouts
        .map(({ order }) => order)
        .toSorted()
        .join(),
  ) as string[];
  const decided = { msg: 'bank file imported', file: 'status.xml', counts: expect.objectContaining({ accepted: 1, refused: 1 }) as object };
  expect(lines).toMatchObject([{ ...decided, orderIds, correlationIds: ['request-1'] }]);
  await importLogged(at.ledger, log, file('again.xml', statusXml({ payments })));
  expect(lines[1]).toMatchObject({ file: 'again.xml', state: 'already_imported', orderIds: [], correlationIds: [] });
});

it('names the orders that credits became, in several lines when they are many', async () => {
  const { iban } = at.customer;
  const entries = Array.from({ length: 501 }, (_, index) => ({
    amount: '1.00',
    reference: `R${index}`,
    transactions: [payment(iban, '1.00')],
  }));
  await importLogged(at.ledger, log, file('credits.xml', statementXml({ id: 'S', entries })));
  const named = lines.map(({ orderIds }) => (orderIds as string[]).length);
  expect(named).toEqual([500, 1]);
  expect(new Set(lines.flatMap(({ orderIds }) => orderIds as string[])).size).toBe(501);
  expect(lines.map(({ msg }) => msg)).toEqual(['bank file imported', 'bank file imported: further orders']);
});
