import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { createPool } from '../../src/platform/database.ts';
import { inImport } from '../../src/statements/import-transaction.ts';
import { createTestDatabase } from '../support/database.ts';

it('can be tried again after a deadlock', async () => {
  const database = await createTestDatabase();
  const ledger = createLedger(createPool({ connectionString: database.url }), wakesNobody);
  const raise = sql`do $$ begin raise exception 'deadlock detected' using errcode = '40P01'; end $$`;
  const failing = inImport(ledger, 'statement.xml', async (tx) => {
    await raise.execute(tx);
    return { state: 'applied' as const };
  });
  await expect(failing).rejects.toMatchObject({ code: 'import_busy', message: expect.stringContaining('waited for each other') });
  await ledger.destroy();
  await database.drop();
});
