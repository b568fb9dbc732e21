import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { contractionsOf } from './migration-rules.ts';

const folder = 'src/ledger/migrations';
const { lastMigration } = JSON.parse(readFileSync('test/upgrades/previous-release.json', 'utf8')) as { lastMigration: string };

/** The migrations that processes of the previous release meet without knowing them. */
const newer = readdirSync(folder).filter((name) => name > `${lastMigration}.sql`);

describe('the migrations since the previous release', () => {
  it('only add, so that its processes go on beside the new ones', () => {
    expect(readdirSync(folder)).toContain(`${lastMigration}.sql`);
    const found = newer.flatMap((name) => contractionsOf(readFileSync(`${folder}/${name}`, 'utf8')).map((what) => `${name} ${what}`));
    expect(found).toEqual([]);
  });
});

describe('the rules of migrations', () => {
  it.each([
    'alter table orders drop column memo;',
    'alter table orders rename column memo to note;',
    'alter table orders rename to payments;',
    'alter table orders alter column memo type varchar(10);',
    'alter table orders alter memo set not null;',
    'alter table orders add column note text, add column kind text not null;',
    'drop view supply;',
  ])('refuse %s', (statement) => {
    expect(contractionsOf(statement)).toHaveLength(1);
  });

  it.each([
    "alter table orders add column note text not null default '';",
    'create table notes (id uuid not null);',
    '-- contract: unused since 0.1.0\nalter table orders drop column memo;',
    'create or replace function f() returns void as $$ begin drop table x; end $$ language plpgsql;',
    '-- drop table orders',
  ])('allow %s', (statement) => {
    expect(contractionsOf(statement)).toEqual([]);
  });
});
