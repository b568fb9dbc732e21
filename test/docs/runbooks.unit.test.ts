import { expect, it } from 'vitest';
import { alertGroups } from '../../scripts/alerts/rules.ts';
import { findVerb } from '../../src/operations/registry.ts';
import { catalogue, problemKinds } from '../../src/problems/catalogue.ts';
import { headings, projectFiles, read } from './pages.ts';

const folder = 'docs/operations/runbooks';
const alerts = Object.values(alertGroups).flat();

it('docs/operations/runbooks has a page for each problem and alert, and for no other, and its index leads to each', () => {
  const names = alerts.map(({ runbook }) => runbook);
  expect(names).toEqual(expect.arrayContaining([...problemKinds]));
  expect(projectFiles(folder)).toEqual(['README', ...names].map((name) => `${folder}/${name}.md`).toSorted());
  for (const name of names) expect(read(`${folder}/README.md`)).toContain(`](${name}.md)`);
});

it.each(alerts)('the runbook $runbook says what it means, how to look, what to do, and when it is over', ({ runbook }) => {
  const page = read(`${folder}/${runbook}.md`);
  expect(headings(page)[0]).toBe(runbook);
  expect(page).toMatch(/^# \w+\n\n[^*].+?\n\n\*\*Look:\*\* .+?\n\n\*\*Do:\*\* .+?\n\n\*\*Over:\*\* /s);
});

it('the remedy of a problem is a verb that those may carry out for whom it is, and what it follows from is a problem', () => {
  for (const kind of problemKinds) {
    const { remedy, for: role, follows = [] } = catalogue[kind];
    if (remedy !== undefined) expect(findVerb(remedy)?.roles, kind).toContain(role);
    for (const cause of follows) expect(problemKinds, kind).toContain(cause);
  }
});
