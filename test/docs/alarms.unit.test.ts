import { expect, it } from 'vitest';
import { findVerb } from '../../src/operations/registry.ts';
import { catalogue, problemKinds } from '../../src/problems/catalogue.ts';
import { read } from './pages.ts';

it.each([
  ['Alarms', problemKinds.filter((kind) => catalogue[kind].severity !== 'soon')],
  ['Warnings', problemKinds.filter((kind) => catalogue[kind].severity === 'soon')],
])('docs/operations.md, %s has a section for each kind of problem, and for no other', (title, kinds) => {
  const [, alarms = ''] = new RegExp(`^## ${title}\n(.*?)^## `, 'ms').exec(read('docs/operations.md')) ?? [];
  const sections = [...alarms.matchAll(/^### (\w+)\n\n(.+?)(?=^###|$(?![\s\S]))/gms)];
  expect(sections.map(([, kind = '']) => kind).toSorted()).toEqual(kinds.toSorted());
  for (const [, kind, text = ''] of sections) expect(text, kind).toContain('**Do:**');
});

it('the remedy of a problem is a verb that those may carry out for whom it is, and what it follows from is a problem', () => {
  for (const kind of problemKinds) {
    const { remedy, for: role, follows = [] } = catalogue[kind];
    if (remedy !== undefined) expect(findVerb(remedy)?.roles, kind).toContain(role);
    for (const cause of follows) expect(problemKinds, kind).toContain(cause);
  }
});
