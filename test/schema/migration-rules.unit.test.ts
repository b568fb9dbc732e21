import { describe, expect, it } from 'vitest';
import { ledgerFiles, migrationNames, readSchemaFile } from '../../src/schema/schema-files.ts';
import { blockingIndexesOf, contractionsOf } from './migration-rules.ts';

it('migrations only add, or say what no release uses any more, and build indexes beside the writers', () => {
  const found = migrationNames(ledgerFiles).flatMap((name) => {
    const text = readSchemaFile(ledgerFiles, `migrations/${name}`);
    return [...contractionsOf(text), ...blockingIndexesOf(text)].map((what) => `${name} ${what}`);
  });
  expect(found).toEqual([]);
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

  it.each([
    'create index orders_memo on orders (memo);',
    'create unique index if not exists orders_memo on orders (memo);',
    'create table notes (id uuid);\ncreate index orders_memo on orders (memo);',
    'alter table orders add constraint orders_memo unique (memo);',
    'drop index orders_memo;',
    'create index concurrently orders_memo on orders (memo);',
    'drop index concurrently orders_memo;',
    'create index concurrently if not exists orders_memo on orders (memo); alter table orders add column note text;',
  ])('refuse, because writers would wait or a crash would stay, %s', (statement) => {
    expect(blockingIndexesOf(statement)).toHaveLength(1);
  });

  it.each([
    'create table notes (id uuid);\ncreate index notes_id on notes (id);\nalter table notes add unique (id);',
    'create index orders_memo on only orders (memo);',
    'drop index concurrently if exists orders_memo;\ncreate unique index concurrently if not exists orders_memo\n  on orders (memo);',
    'alter table orders add constraint orders_memo unique using index orders_memo;',
  ])('let writers go on by %s', (statement) => {
    expect(blockingIndexesOf(statement)).toEqual([]);
  });
});
