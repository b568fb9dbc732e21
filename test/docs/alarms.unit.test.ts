import { expect, it } from 'vitest';
import { problemKinds } from '../../src/status/problem.ts';
import { warningKinds } from '../../src/status/warning.ts';
import { alarmKinds } from '../../src/workers/alarms.ts';
import { read } from './pages.ts';

it.each([
  ['Alarms', 'alarm and problem', [...new Set<string>([...alarmKinds, ...problemKinds])]],
  ['Warnings', 'warning', [...warningKinds]],
])('docs/operations.md, %s has a section for each kind of %s, and for no other', (title, _, kinds) => {
  const [, alarms = ''] = new RegExp(`^## ${title}\n(.*?)^## `, 'ms').exec(read('docs/operations.md')) ?? [];
  const sections = [...alarms.matchAll(/^### (\w+)\n\n(.+?)(?=^###|$(?![\s\S]))/gms)];
  expect(sections.map(([, kind = '']) => kind).toSorted()).toEqual(kinds.toSorted());
  for (const [, kind, text = ''] of sections) expect(text, kind).toContain('**Do:**');
});
