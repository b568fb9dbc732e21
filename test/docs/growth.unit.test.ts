import { expect, it } from 'vitest';
import { tableInterfaces } from '../support/typed-tables.ts';
import { read } from './pages.ts';

/** The tables of src/ledger/tables, which test/ledger/tables.db.test.ts compares with the database. */
function typedTables(): string[] {
  return [...tableInterfaces().matchAll(/^ {2}(\w+): /gm)].map(([, name = '']) =>
    name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
}

it('says of every table what it grows with and for how long it is kept', () => {
  const [, section = ''] = /^## Tables\n(.*?)^## /ms.exec(read('docs/growth.md')) ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]+) \| ([^|]+) \| ([^|]+) \|/gm)];
  const named = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  expect(named.toSorted()).toEqual(typedTables().toSorted());
  const settings = [...read('docs/settings.md').matchAll(/`(RETENTION_\w+)`/g)].map(([, name = '']) => name);
  expect(settings.length).toBeGreaterThan(5);
  for (const setting of settings) expect(section, setting).toContain(setting);
});
