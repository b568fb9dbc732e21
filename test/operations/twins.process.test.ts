import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listAudit } from '../../src/ledger/access/audit-log.ts';
import { requireVerb, verbs } from '../../src/operations/registry.ts';
import { approvalProblems } from '../../src/problems/approval-problems.ts';
import { createTestConsole, type TestOperator } from '../console/support/test-console.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { testSecretsKey } from '../support/test-sealer.ts';
import { accessTwins } from './twins/access-twins.ts';
import { bankTwins } from './twins/bank-twins.ts';
import { customerTwins } from './twins/customer-twins.ts';
import { orderTwins } from './twins/order-twins.ts';
import { recoveryTwins } from './twins/recovery-twins.ts';
import type { Subject } from './twins/twin.ts';
import { testPayments } from '../ledger/bank/payments-ledger.ts';

const twins = [...orderTwins, ...bankTwins, ...customerTwins, ...accessTwins, ...recoveryTwins];
const alone = 'Nobody else can be reached';
/** Whether it takes a second person where FOUR_EYES is yes. What depends on the input is so chosen that it takes one. */
const isForTwo = ({ verb }: { verb: string }) => requireVerb(verb).needsSecondPerson !== false;
const tokens = `eur:0x${'1'.repeat(40)}`;

const payments = testPayments({ isShared: true });

/** What the audit log got of a subject since there were so many entries, without what differs between two subjects and two requests. */
const entriesOf = async (audited: Subject['audited'], before = 0) => {
  const entries = await listAudit(payments.ledger, { subject: typeof audited === 'string' ? audited : await audited(), limit: 100 });
  return entries.slice(0, entries.length - before).map(({ action, actorKind, actor, detail, correlationId }) => ({
    action,
    actorKind,
    actor,
    fields: Object.keys(detail as object).toSorted(),
    isTraced: correlationId !== null,
  }));
};

it('has a row for each verb that has a command', () => {
  const withCommand = verbs.filter((verb) => 'command' in verb).map(({ name }) => name);
  expect(twins.map(({ verb }) => verb).toSorted()).toEqual(withCommand.toSorted());
});

describe.each(['no', 'yes'] as const)('where FOUR_EYES is %s', (fourEyes) => {
  let console: Awaited<ReturnType<typeof createTestConsole>>;
  let [asker, second, viewer] = [] as unknown as [TestOperator, TestOperator, TestOperator];
  const env = () => ({
    DATABASE_URL: payments.url,
    MINTRAIL_ENVIRONMENT: 'sandbox',
    FOUR_EYES: fourEyes,
    CHIADO_TOKENS: tokens,
    SECRETS_KEY: testSecretsKey,
  });
  const run = (...args: string[]) => mintrail(args, env());
  const takesTwo = (verb: string) => fourEyes === 'yes' && isForTwo({ verb });
  /** What takes no second person is the same in both, and is tried where it could take one; what is refused is tried once. */
  const tried = fourEyes === 'yes' ? twins : twins.filter(isForTwo);
  const refusable = twins.filter((twin) => twin.guard !== undefined && isForTwo(twin) === (fourEyes === 'yes'));
  const preview = (name: string, input: object) => asker.post(`/api/actions/${name}/preview`, input);
  beforeAll(async () => {
    console = await createTestConsole({ env: { FOUR_EYES: fourEyes, CHIADO_TOKENS: tokens }, url: payments.url });
    asker = await console.signedIn('administrator');
    second = await console.signedIn('administrator');
    viewer = await console.signedIn('viewer');
  });
  afterAll(() => console.close());

  it.each(tried)('$verb is the same by a command and in the console', async ({ verb: name, prepare, isDone }) => {
    const [ofCommand, ofPage] = [await prepare(payments, console), await prepare(payments, console)];
    const [beforeCommand, beforePage] = [(await entriesOf(ofCommand.audited)).length, (await entriesOf(ofPage.audited)).length];
    const command = (as: TestOperator, ...options: string[]) => run('--as', as.name, ...ofCommand.command, ...options);

    // Who may not, and what is not confirmed, changes nothing, whether it takes two or one.
    if (fourEyes === 'yes') {
      expect(await command(viewer, '--yes')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('(role_not_sufficient)') as string,
      });
      expect((await viewer.act(name, ofPage.input)).json).toMatchObject({ code: 'role_not_sufficient' });
      const unconfirmed = await command(asker, ...(isForTwo({ verb: name }) ? ['--json'] : []));
      expect(unconfirmed).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('not_confirmed') as string });
    }

    const waits = takesTwo(name);
    const { json: shown } = await preview(name, ofCommand.input);
    expect(shown).toMatchObject({ needsSecondPerson: waits });
    const answer = await command(asker, '--yes', '--json');
    expect(answer).toMatchObject({ code: waits ? 4 : 0, stderr: '' });
    if (waits) {
      const { approval } = JSON.parse(answer.stdout) as { approval: string };
      const { json: page } = await asker.act(name, ofCommand.input);
      const [filed, asked] = [
        await second.get(`/api/approvals/${approval}`),
        await second.get(`/api/approvals/${page.approval as string}`),
      ];
      for (const same of ['action', 'description', 'requestedBy', 'state']) expect(filed.json[same], same).toEqual(asked.json[same]);
      expect(filed.json.description).toBe(shown.description);
      expect(await second.decide(approval)).toMatchObject({ status: 200 });
      // The same request, unless a page sends fields that the command leaves out.
      if (page.approval !== approval) expect(await second.decide(page.approval as string, 'refuse')).toMatchObject({ status: 200 });
      const { json: other } = await asker.act(name, ofPage.input);
      expect(await second.decide(other.approval as string)).toMatchObject({ status: 200 });
    } else {
      expect(await asker.act(name, ofPage.input)).toMatchObject({ status: 200, json: { state: 'done' } });
    }
    for (const subject of [ofCommand, ofPage]) await isDone?.(payments, subject);
    // Entries of the subject of a currency are those of both.
    const isShared = ofCommand.audited === ofPage.audited;
    const entries = await entriesOf(ofCommand.audited, beforeCommand);
    const [newest, older] = isShared
      ? [entries.slice(0, entries.length / 2), entries.slice(entries.length / 2)]
      : [await entriesOf(ofPage.audited, beforePage), entries];
    expect(newest).toEqual(older);
    expect(newest).toContainEqual(expect.objectContaining({ actorKind: 'operator', isTraced: true }));
  });

  it.each(refusable)(
    '$verb is refused in the same words by a command and in the console: $guard',
    async ({ verb: name, prepare, forbid, guard }) => {
      const subject = await prepare(payments, console);
      const { input, command, audited } = subject;
      const does = (as: TestOperator, ...options: string[]) => run('--as', as.name, ...command, '--yes', ...options);
      if (forbid) await forbid(payments, subject);
      else expect(await does(asker, ...(takesTwo(name) ? ['--alone', alone] : []))).toMatchObject({ code: 0, stderr: '' });
      const before = await entriesOf(audited);
      // Whoever may not is told that first.
      const byViewer = await does(viewer);
      expect(byViewer.stderr).toContain('(role_not_sufficient)');
      expect((await viewer.act(name, input)).json).toMatchObject({ code: 'role_not_sufficient' });
      const refused = await does(asker);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`(${guard})`) as string });
      for (const answer of [await preview(name, input), await asker.act(name, input)]) {
        const { code, message } = answer.json as { code: string; message: string };
        expect(`Error: ${message}\n(${code})\n`).toBe(refused.stderr);
      }
      expect(await entriesOf(audited)).toEqual(before);
    },
  );

  it.each(twins.filter(({ verb }) => takesTwo(verb)))(
    '$verb by a command without the second person is an alarm',
    async ({ verb: name, prepare, isDone }) => {
      const subject = await prepare(payments, console);
      const before = (await entriesOf(name)).length;
      const done = await run('--as', asker.name, ...subject.command, '--yes', '--json', '--alone', alone);
      expect(done).toMatchObject({ code: 0, stderr: '' });
      await isDone?.(payments, subject);
      expect(await entriesOf(name, before)).toEqual([
        { action: 'operation.alone', actorKind: 'operator', actor: asker.name, fields: ['reason'], isTraced: true },
      ]);
      const text = expect.stringContaining(`${asker.name} did ${name} without`) as string;
      expect(await approvalProblems(payments.ledger)).toContainEqual(expect.objectContaining({ kind: 'acted_alone', text }));
    },
  );
});
