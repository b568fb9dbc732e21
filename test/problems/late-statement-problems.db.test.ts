import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { loadSettings } from '../../src/platform/settings.ts';
import { lateStatementProblems } from '../../src/problems/late-statement-problems.ts';
import { readStatus } from '../../src/problems/read-status.ts';
import { recordHeartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import { createPaymentsLedger } from '../ledger/bank/payments-ledger.ts';

it('statements that stop coming, or never came, are a warning and no problem', async () => {
  const world = await createPaymentsLedger();
  const { ledger } = world;
  const settings = loadSettings({ DATABASE_URL: 'postgres://unused', BANK_ACCOUNT: 'eur:NL1,gbp:NL2' });
  // A Wednesday; three bank days before it is Friday.
  const now = new Date('2026-05-06T12:00:00Z');
  const late = async () => (await lateStatementProblems(ledger, settings, now)).map(({ subject, text }) => [subject, text.split(':')[0]]);
  const closes = (account: string, currency: string, day: string) =>
    sql`insert into bank_statements (account, currency, number, closed_on) values (${account}, ${currency}, '1', ${day})`.execute(ledger);
  expect(await late()).toEqual([]);
  await sql`insert into networks (chain, chain_id, genesis_hash, seen_at) values ('chiado', 10200, '0x1', '2026-05-01')`.execute(ledger);
  await closes('NL1', 'eur', '2026-05-04');
  expect(await late()).toEqual([['NL2', 'no statement of the account NL2 has ever come']]);
  await sql`update bank_statements set closed_on = '2026-04-30'`.execute(ledger);
  await closes('NL2', 'gbp', '2026-05-04');
  await closes('NL1', 'usd', '2026-05-04');
  expect(await late()).toEqual([['NL1', 'no statement of the account NL1 has come since that of 2026-04-30']]);
  for (const component of ['common', 'api'] as const)
    await recordHeartbeat(ledger, { component, chain: '', instance: '', facts: { ok: true } });
  expect(await readStatus(ledger, settings, now)).toMatchObject({ ok: true, problems: [], warnings: [{ kind: 'statements_late' }] });
  expect(await lateStatementProblems(ledger, { ...settings, bankRail: 'sandbox' }, now)).toEqual([]);
  await world.close();
});
