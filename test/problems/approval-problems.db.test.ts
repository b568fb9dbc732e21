import { sql } from 'kysely';
import { beforeEach, expect, it } from 'vitest';
import { approvalProblems } from '../../src/problems/approval-problems.ts';
import { judgeProblems } from '../../src/problems/problem.ts';
import { emptyLedger, testLedger } from '../support/test-ledger.ts';

const { ledger } = testLedger();
beforeEach(() => emptyLedger(ledger));

/** What is wrong at a time, when somebody acted alone at another. */
async function aloneAt(actedAt: string, now: string) {
  await sql`
    insert into audit_log (id, at, actor_kind, actor, action, subject_kind, subject, detail)
    values (uuid_at(${actedAt}::timestamptz), ${actedAt}, 'operator', 'jon', 'operation.alone', 'operation', 'bank.return', '{"reason": "nobody answers"}')
  `.execute(ledger);
  return judgeProblems(await approvalProblems(ledger, new Date(now)), new Date(now), { reviewDays: 1 });
}

it('what was done alone on a Friday evening is there on Monday, overdue after a working day, and over after two', async () => {
  const friday = '2026-05-01T20:00:00Z';
  expect(await aloneAt(friday, '2026-05-04T19:59:00Z')).toMatchObject([{ kind: 'acted_alone', overdue: false, since: new Date(friday) }]);
  await emptyLedger(ledger);
  expect(await aloneAt(friday, '2026-05-04T20:00:00Z')).toMatchObject([{ kind: 'acted_alone', overdue: true }]);
  await emptyLedger(ledger);
  expect(await aloneAt(friday, '2026-05-05T20:01:00Z')).toEqual([]);
});
