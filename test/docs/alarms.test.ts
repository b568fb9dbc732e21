import { expect, it } from 'vitest';
import { problemKinds } from '../../src/status/problem.ts';
import { alarmKinds } from '../../src/workers/alarms.ts';
import { read } from './pages.ts';

it('has a section of docs/operations.md for each kind of alarm and problem, and for no other', () => {
  const [, alarms = ''] = /^## Alarms\n(.*?)^## /ms.exec(read('docs/operations.md')) ?? [];
  const sections = [...alarms.matchAll(/^### (\w+)\n\n(.+?)(?=^###|$(?![\s\S]))/gms)];
  expect(sections.map(([, kind = '']) => kind).toSorted()).toEqual([...new Set<string>([...alarmKinds, ...problemKinds])].toSorted());
  for (const [, kind, text = ''] of sections) expect(text, kind).toContain('**Do:**');
});
