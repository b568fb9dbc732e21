import { sql } from 'kysely';
import { Registry } from 'prom-client';
import { it } from 'vitest';
import { createLog } from '../../../src/platform/log.ts';
import { importBankFile } from '../../../src/statements/import-file.ts';
import { startBankMetrics } from '../../../src/workers/metrics/bank-metrics.ts';
import { statementXml } from '../../bank/iso20022/camt/statement-xml.ts';
import { stream } from '../../bank/iso20022/camt/reading.ts';
import { createTestRail, payment } from '../../statements/bank-rail.ts';
import { until } from '../../support/until.ts';

it('serves how many files were imported in a day, whoever imported them', async () => {
  const rail = await createTestRail();
  for (const id of ['yesterday', 'today', 'now']) {
    const entries = [{ amount: '1.00', reference: id, transactions: [payment(rail.customer.iban, '1.00')] }];
    const options = { defaultMemo: 'memo', tokens: ['chiado:eur'] };
    await importBankFile(rail.ledger, { name: `${id}.xml`, chunks: stream([statementXml({ id, entries })]), options });
  }
  await sql`update bank_files set imported_at = now() - interval '25 hours' where name = 'yesterday.xml'`.execute(rail.ledger);
  const registry = new Registry();
  const metrics = startBankMetrics({ ledger: rail.ledger, log: createLog('silent'), registry });
  await until('they are counted', async () => (await registry.metrics()).includes('mintrail_bank_files_imported_last_day 2') || undefined);
  await metrics.close();
  await rail.close();
});
