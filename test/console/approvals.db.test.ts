import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { disableOperator } from '../../src/ledger/operators/operator-access.ts';
import { changeRole, findOperator } from '../../src/ledger/operators/operators.ts';
import { approvalProblems } from '../../src/problems/approval-problems.ts';
import { verbs } from '../../src/operations/registry.ts';
import { type TestOperator, useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const console = useTestConsole({ env: { FOUR_EYES: 'yes' } });
const anna = forWholeFile(() => console.signedIn('administrator', 'anna'));
const ben = forWholeFile(() => console.signedIn('administrator', 'ben'));

/** What Anna asks for: a role for somebody. Returns the approval as Ben reads it. */
async function requested(by = anna) {
  const target = await console.signedIn('viewer');
  const asked = await by.act('operators.role', { name: target.name, role: 'treasurer' });
  expect(asked).toMatchObject({ status: 202, json: { state: 'waiting' } });
  const read = await ben.get(`/api/approvals/${asked.json.approval}`);
  const decide = (operator: TestOperator, verb: string, body: object = { digest: read.json.digest }) =>
    operator.post(`/api/approvals/${read.json.id}/${verb}`, body);
  return { id: read.json.id as string, digest: read.json.digest as string, read: read.json, target: target.name, decide };
}

const roleOf = async (name: string) => (await findOperator(console.ledger, name))?.role;

describe('what takes a second person', () => {
  it('is named by mintrail status while it waits', async () => {
    const { id, decide } = await requested();
    expect(await approvalProblems(console.ledger)).toMatchObject([
      { kind: 'approvals_waiting', text: expect.stringMatching(/^1 request waits/) as string },
    ]);
    await decide(anna, 'withdraw');
    expect(await approvalProblems(console.ledger)).toEqual([]);
    expect((await ben.get(`/api/approvals/${id}`)).json).toMatchObject({ state: 'withdrawn' });
  });

  it('waits, says what it is, and is carried out by the approval of another', async () => {
    const { target, read, decide } = await requested();
    expect(read).toMatchObject({
      requestedBy: 'anna',
      state: 'waiting',
      mayDecide: true,
      mayWithdraw: false,
      input: { name: target, role: 'treasurer' },
    });
    expect(read.description).toContain(`Give ${target} the role treasurer instead of viewer`);
    expect(await roleOf(target)).toBe('viewer');
    expect(await decide(anna, 'approve')).toMatchObject({ status: 403, json: { code: 'own_approval' } });
    expect(await decide(ben, 'approve', { digest: '0'.repeat(64) })).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('has changed meanwhile') as string },
    });
    expect(await roleOf(target)).toBe('viewer');
    expect(await decide(ben, 'approve')).toMatchObject({ status: 200 });
    expect(await roleOf(target)).toBe('treasurer');
    expect(await decide(ben, 'approve')).toMatchObject({ status: 409 });
  });

  it('is decided once, whoever comes at once', async () => {
    for (const verbs of [
      ['approve', 'approve'],
      ['approve', 'refuse'],
    ] as const) {
      const carol = await console.signedIn('administrator');
      const { decide, target, id } = await requested();
      const answers = await Promise.all([decide(ben, verbs[0]), decide(carol, verbs[1])]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
      const { state } = (await ben.get(`/api/approvals/${id}`)).json;
      expect(await roleOf(target)).toBe(state === 'done' ? 'treasurer' : 'viewer');
    }
    const { decide, target, id } = await requested();
    const answers = await Promise.all([decide(ben, 'approve'), decide(anna, 'withdraw')]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
    const { state } = (await ben.get(`/api/approvals/${id}`)).json;
    expect([state, await roleOf(target)]).toEqual(answers[0]?.status === 200 ? ['done', 'treasurer'] : ['withdrawn', 'viewer']);
  });

  it('is not carried out for an operator who may it no more', async () => {
    for (const [end, state] of [
      [(name: string) => disableOperator(console.ledger, name), 'withdrawn'],
      [(name: string) => changeRole(console.ledger, name, 'reviewer'), 'failed'],
    ] as const) {
      const carol = await console.signedIn('administrator');
      const { decide, target, id } = await requested(carol);
      await end(carol.name);
      expect((await decide(ben, 'approve')).status).toBeGreaterThanOrEqual(403);
      expect(await roleOf(target)).toBe('viewer');
      expect((await ben.get(`/api/approvals/${id}`)).json).toMatchObject({ state });
    }
  });

  it('is not decided by a role that may not ask for it, nor after its time', async () => {
    const { decide, id, target } = await requested();
    expect(await decide(await console.signedIn('treasurer'), 'approve')).toMatchObject({ status: 403 });
    await console.pool.query("update approvals set expires_at = now() - interval '1 second' where id = $1", [id]);
    expect(await decide(ben, 'approve')).toMatchObject({ status: 409 });
    expect((await ben.get(`/api/approvals/${id}`)).json).toMatchObject({ state: 'expired' });
    expect(await roleOf(target)).toBe('viewer');
    const ended = await console.pool.query("select actor_kind, actor from audit_log where action = 'approval.end' and subject = $1", [id]);
    expect(ended.rows, 'not whoever looked at it').toEqual([{ actor_kind: 'system', actor: 'mintrail' }]);
  });

  it('is not carried out when what is stored is not what was approved', async () => {
    const { decide, id, target } = await requested();
    await console.pool.query(`update approvals set input = replace(input, 'treasurer', 'administrator') where id = $1`, [id]);
    expect((await decide(ben, 'approve')).status).toBe(409);
    expect(await roleOf(target)).toBe('viewer');
  });

  it('is not carried out when it would do something else by now than what was read', async () => {
    const { decide, id, target } = await requested();
    await changeRole(console.ledger, target, 'administrator');
    expect(await decide(ben, 'approve')).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('This has changed since it was read') as string },
    });
    expect(await roleOf(target)).toBe('administrator');
    expect((await ben.get(`/api/approvals/${id}`)).json).toMatchObject({
      state: 'failed',
      errorCode: 'not_as_shown',
      errorMessage: expect.stringContaining(`Give ${target} the role treasurer instead of administrator`) as string,
    });
  });

  it('is not asked for, or done, when it would do something else by now than its preview said', async () => {
    const { name } = await console.signedIn('viewer');
    const previewed = await anna.act('operators.role/preview', { name, role: 'reviewer' });
    await changeRole(console.ledger, name, 'treasurer');
    const asked = await anna.act(`operators.role?digest=${previewed.json.digest}`, { name, role: 'reviewer' });
    expect(asked).toMatchObject({
      status: 409,
      json: { code: 'not_as_shown', message: expect.stringContaining('This has changed since it was read') as string },
    });
    const again = await anna.act('operators.role/preview', { name, role: 'reviewer' });
    expect(await anna.act(`operators.role?digest=${again.json.digest}`, { name, role: 'reviewer' })).toMatchObject({ status: 202 });
  });

  it('is short: what waits is listed whole', async () => {
    const origins = Array.from({ length: 20 }, (_, index) => `https://${index}.example/${'x'.repeat(2_000)}`);
    const long = { kind: 'authorization_code', name: 'Payments', redirectUris: origins, origins };
    expect(await anna.act('applications.register', long)).toMatchObject({ status: 413, json: { code: 'body_too_large' } });
  });

  it('has nothing in it that the action does not take, and which the second person would read nevertheless', async () => {
    for (const { name } of verbs) {
      const { json } = await anna.act(name, { kind: name === 'networks.prepare' ? 'pause' : 'private', approvedByTheBoard: true });
      expect(json.fields, name).toMatchObject({ body: expect.stringContaining('approvedByTheBoard') as string });
    }
  });

  it('is shown with all of its input, in which nothing is hidden or turned round', async () => {
    const input = { comparison: 'book', currency: 'eur', account: '', items: [], reason: 'left \u202eright' };
    const { rows } = await console.pool.query(
      `insert into approvals (action, input, description, digest, requested_by, expires_at)
        values ('reserve.acknowledge', $1, '', '', 'anna', now() + interval '1 hour') returning id`,
      [JSON.stringify(input)],
    );
    const { inputText } = (await ben.get(`/api/approvals/${rows[0].id}`)).json;
    expect(inputText).toContain(String.raw`"reason": "left \u202eright"`);
    await anna.post(`/api/approvals/${rows[0].id}/withdraw`);
  });

  it('names an application in quotation marks, which its name cannot end', async () => {
    const name = 'Shop" of the kind private. (';
    const { json } = await anna.act('applications.register/preview', {
      kind: 'authorization_code',
      name,
      owner: 'owner@example.org',
      redirectUris: ['https://a.example/b'],
    });
    expect(json.description).toContain(String.raw`the application "Shop\" of the kind private. (" of the kind authorization_code`);
  });

  it('says of an application that it may only read', async () => {
    const reporting = { kind: 'private', name: 'Reports', owner: 'owner@example.org', isReadOnly: true };
    expect((await anna.act('applications.register/preview', reporting)).json.description).toContain(
      'of the kind private, owned by owner@example.org, which may only read',
    );
  });

  it('is one line in which nothing is hidden or turned round', async () => {
    const reason = 'wrong\u202e\u200b\n\nReason: right';
    const hostile = {
      name: reason,
      owner: 'owner@example.org',
      kind: 'authorization_code',
      redirectUris: ['https://partner.example/back'],
      permission: 'write',
    };
    expect((await anna.act('applications.register/preview', hostile)).json).toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('name ') as string,
    });
    const { json } = await anna.act('applications.register/preview', { ...hostile, name: 'Payments\u200b' });
    expect(json.description).toBe(
      String.raw`Register the application "Payments\u200b" of the kind authorization_code without a secret, owned by owner@example.org, which may also place orders and change data. Users come back to https://partner.example/back`,
    );
  });

  it('keeps no secret that it makes, and shows it once', async () => {
    const asked = await anna.act('operators.add', { name: 'dora', role: 'viewer' });
    const { digest } = (await ben.get(`/api/approvals/${asked.json.approval}`)).json;
    const approved = await ben.post(`/api/approvals/${asked.json.approval}/approve`, { digest });
    const secret = (approved.json.result.invitation as string).split('#')[1] ?? '';
    expect(secret).toHaveLength(43);
    const { rows } = await console.pool.query('select a::text as text from approvals a union all select l::text from audit_log l');
    expect(rows.map(({ text }: { text: string }) => text).filter((text) => text.includes(secret))).toEqual([]);
  });

  it('is in the audit log with the names of both', async () => {
    const { id, decide, target } = await requested();
    await decide(ben, 'approve');
    const { rows } = await console.pool.query('select action, actor from audit_log where subject = $1 or subject = $2 order by id', [
      id,
      target,
    ]);
    expect(rows).toEqual(
      expect.arrayContaining([
        { action: 'approval.request', actor: 'anna' },
        { action: 'approval.decide', actor: 'ben' },
        { action: 'operator.role', actor: 'ben' },
      ]),
    );
  });

  it('is not kept when it makes no sense, nor more than a hundred times', async () => {
    expect(await anna.act('orders.give-back', { order: randomUUID(), reason: 'The account is free again' })).toMatchObject({
      status: 409,
      json: { code: 'not_possible', message: expect.stringContaining('is not stuck') as string },
    });
    await console.pool.query(
      `insert into approvals (action, input, description, digest, requested_by, expires_at)
        select 'x', '{}', '', '', 'anna', now() + interval '1 hour' from generate_series(1, 100)`,
    );
    expect(await anna.act('operators.role', { name: 'ben', role: 'viewer' })).toMatchObject({
      status: 409,
      json: { code: 'not_possible', message: expect.stringContaining('of your requests wait for a second person') as string },
    });
  });
});
