import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { bytes, contents, manyPayments, payment, testRail } from './bank-rail.ts';

const rail = testRail();
const { iban } = rail.customer;

const nothing = { credits: [], orders: [], counts: [0, 0, 0] };

const good = () => statementXml({ entries: [{ amount: '10.00', reference: 'A', transactions: [payment(iban, '10.00')] }] });

describe('a file that cannot be applied leaves everything as it was', () => {
  it.each([
    ['malformed XML', (xml: string) => xml.replace('</Ntry>', '</Ntry></Oops>'), 'statement_malformed'],
    ['a file cut off', (xml: string) => xml.slice(0, -30), 'statement_truncated'],
    [
      'a sum that is not that of the entries',
      (xml: string) =>
        xml.replace('</Acct>', '</Acct><TxsSummry><TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>11.00</Sum></TtlCdtNtries></TxsSummry>'),
      'statement_totals_differ',
    ],
  ])('%s', async (_, damage, code) => {
    const refusal = await rail.refusalOf(damage(good()));
    expect(refusal.code).toBe(code);
    expect(refusal.message).toContain('Nothing of this file was applied.');
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect(await rail.ledger.selectFrom('bankFiles').selectAll().execute()).toEqual([]);
    expect(rail.woken).toEqual([]);
  });

  it('and is applied whole once the bank sends it whole', async () => {
    const whole = manyPayments(iban, 600);
    await rail.refusalOf(whole.slice(0, -20));
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect((await rail.import(whole)).counts.issued).toBe(600);
  });
});

describe('an import that is interrupted', () => {
  it('by a deadlock can be tried again', async () => {
    const raise = `begin raise exception 'deadlock detected' using errcode = '40P01'; end`;
    await sql.raw(`create function raise_deadlock() returns trigger language plpgsql as $$ ${raise} $$`).execute(rail.ledger);
    await sql`create trigger raise_deadlock before insert on bank_files execute function raise_deadlock()`.execute(rail.ledger);
    await expect(rail.import(good())).rejects.toMatchObject({
      code: 'import_busy',
      message: expect.stringContaining('waited for each other'),
    });
    await sql`drop function raise_deadlock cascade`.execute(rail.ledger);
    expect((await rail.import(good())).counts.issued).toBe(1);
  });

  it('by the end of its connection leaves nothing, and goes through the next time', async () => {
    const xml = manyPayments(iban, 600);
    const killed = rail.import(xml, { chunks: killing(xml) });
    await expect(killed).rejects.toThrow();
    expect(await contents(rail.ledger)).toEqual(nothing);
    expect((await rail.import(xml)).counts).toMatchObject({ entries: 600, issued: 600 });
  });

  it('by an error of its source leaves nothing, and blocks no other', async () => {
    const xml = manyPayments(iban, 600);
    await expect(rail.import(xml, { chunks: failing(xml) })).rejects.toThrow('the disk is gone');
    expect((await rail.import(xml)).counts.issued).toBe(600);
  });
});

async function* failing(xml: string) {
  yield Buffer.from(xml.slice(0, -1_000));
  throw new Error('the disk is gone');
}

/** Ends the connection of the import when most of the file is written. */
async function* killing(xml: string) {
  yield* bytes(xml.slice(0, -1_000));
  const client = new Client({ connectionString: rail.url });
  await client.connect();
  const { rowCount } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
  );
  await client.end();
  expect(rowCount).toBe(1);
  yield Buffer.from(xml.slice(-1_000));
}
