import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { disableOperator } from '../../src/ledger/operators/operator-access.ts';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { createTestConsole, type TestOperator } from '../console/support/test-console.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { testLedger } from '../support/test-ledger.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const database = testLedger();
const console = forWholeFile(() => createTestConsole({ url: database.url }));
let [viewer, leaver, administrator] = [] as unknown as [TestOperator, TestOperator, TestOperator];
beforeAll(async () => {
  viewer = await console.signedIn('viewer');
  leaver = await console.signedIn('administrator');
  administrator = await console.signedIn('administrator');
  await disableOperator(console.ledger, leaver.name);
});

const run = (as: TestOperator, ...args: string[]) =>
  mintrail(['--as', as.name, ...args], {
    DATABASE_URL: database.url,
    SECRETS_KEY: testSecretsKey,
    CHIADO_TOKENS: `eur:0x${'1'.repeat(40)}`,
    FOUR_EYES: 'yes',
  });

const owner = 'owner@example.com';
const asking = [
  ['secrets', 'rotate'],
  ['profile', 'create', '--owner', owner, '--kind', 'personal'],
  ['profile', 'submit', randomUUID()],
];
const silent = [
  ['bank', 'import', 'no.xml'],
  ['profile', 'documents', randomUUID(), '--output', '/nowhere'],
];

it.each([...asking, ...silent])('%s %s is not for a role that may not, nor for an operator who is disabled', async (...args) => {
  for (const who of [viewer, leaver])
    expect(await run(who, ...args)).toMatchObject({ code: 1, stderr: expect.stringContaining('(role_not_sufficient)') as string });
});

it.each(asking)('%s %s asks, and without an answer does nothing', async (...args) => {
  expect(await run(administrator, ...args)).toMatchObject({ code: 3, stdout: '' });
  expect(await console.ledger.selectFrom('profiles').select('id').execute()).toEqual([]);
});

it('to rotate the secrets is recorded with who did it', async () => {
  expect(await run(administrator, 'secrets', 'rotate', '--yes')).toMatchObject({ code: 0, stderr: '' });
  const [entry] = await listAudit(console.ledger, { actor: administrator.name, limit: 1 });
  expect(entry).toMatchObject({ action: 'secrets.rotate', actorKind: 'operator', actor: administrator.name });
});
