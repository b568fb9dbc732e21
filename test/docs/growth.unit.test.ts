import { expect, it } from 'vitest';
import { tablesByFile } from '../../scripts/schema/read-schema.ts';
import { loadSomeSettings } from '../../src/platform/settings.ts';
import { read } from './pages.ts';

it('says of every table what it grows with and for how long it is kept', () => {
  const [, section = ''] = /^## Tables\n(.*?)^## /ms.exec(read('docs/growth.md')) ?? [];
  const rows = [...section.matchAll(/^\| (`[^|]+) \| ([^|]+) \| ([^|]+) \|/gm)];
  const named = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  expect(named.toSorted()).toEqual([...tablesByFile().values()].flat().toSorted());
  for (const kept of Object.keys(loadSomeSettings(['retentionDays'], {}).retentionDays))
    expect(section).toContain(`\`${kept}\` of \`RETENTION_DAYS\``);
});
