import { Secret, TOTP } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { decideApproval } from '../../src/ledger/operators/approvals.ts';
import { disableOperator, resetOperator } from '../../src/ledger/operators/operator-access.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { type TestOperator, useTestConsole } from './support/test-console.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const console = useTestConsole({ env: { FOUR_EYES: 'yes' } });
const anna = forWholeFile(() => console.signedIn('administrator', 'anna'));
const ben = forWholeFile(() => console.signedIn('administrator', 'ben'));

const password = 'correct staple of seven horses';
const accept = (to: string, body: object) => console.send('POST', `/api/invitation${to}`, { body });
const codeOf = (name: string, by: TestOperator) => by.post(`/api/operators/${name}/invitation-code`);

async function digestOf(id: string): Promise<string> {
  return (await ben.get(`/api/approvals/${id}`)).json.digest;
}

/** What Anna asks for and Ben approves. Returns what Ben gets. */
async function approved(action: string, input: object) {
  const asked = await anna.act(action, input);
  expect(asked.status).toBe(202);
  const id = asked.json.approval as string;
  const answer = await ben.decide(id);
  expect(answer).toMatchObject({ status: 200 });
  return { id, result: answer.json.result, token: (answer.json.result.invitation as string).split('#')[1] ?? '' };
}

describe('an invitation that two persons decide on', () => {
  it('is accepted by neither of them alone: its link is for the approver, its code for who asked', async () => {
    const { id, token } = await approved('operators.add', { name: 'dora', role: 'administrator' });
    expect((await anna.get(`/api/approvals/${id}`)).text, 'who asked gets no link').not.toContain(token);
    expect(await codeOf('dora', ben)).toMatchObject({
      status: 404,
      json: { code: 'not_found', message: expect.stringContaining('whose code you make') as string },
    });

    // The link alone shows whom it invites, and not the seed that the app of that person will have.
    expect((await accept('', { token })).json).toEqual({ name: 'dora', role: 'administrator', needsCode: true, totp: null });
    const withLinkAlone = { token, password, code: '000000' };
    expect(await accept('/password', withLinkAlone)).toMatchObject({
      status: 400,
      json: { fields: { invitationCode: expect.any(String) as string } },
    });
    expect(await accept('/passkey/options', { token })).toMatchObject({ status: 400 });
    expect(await accept('/passkey', { token, state: 'x', credential: {}, label: 'key' })).toMatchObject({ status: 400 });

    const { code } = (await codeOf('dora', anna)).json;
    const both = { token, invitationCode: (code as string).toUpperCase() };
    const { totp } = (await accept('', both)).json;
    const appCode = new TOTP({ secret: Secret.fromBase32(totp.seed) }).generate();
    expect(await accept('/password', { ...both, password, code: appCode })).toMatchObject({ status: 200 });
    expect(await codeOf('dora', anna), 'it is accepted').toMatchObject({ status: 404 });
  });

  it('takes the latest code, which nothing keeps but its hash, and few guesses', async () => {
    const { token } = await approved('operators.add', { name: 'emil', role: 'viewer' });
    const { code: first } = (await codeOf('emil', anna)).json;
    const { code } = (await codeOf('emil', anna)).json;
    const { rows } = await console.pool.query(
      'select i::text as text from operator_invitations i union all select l::text from audit_log l union all select a::text from approvals a',
    );
    expect(rows.filter(({ text }: { text: string }) => text.includes(code))).toEqual([]);
    expect(rows.filter(({ text }: { text: string }) => text.includes('operator.invitation-code') && text.includes('anna'))).not.toEqual([]);

    const authenticator = createAuthenticator('http://localhost:3010');
    const both = { token, invitationCode: code };
    const begun = (await accept('/passkey/options', both)).json;
    const credential = JSON.parse(authenticator.create(begun.options)) as object;
    for (let guess = 0; guess < 5; guess += 1) expect(await accept('', { token, invitationCode: first })).toMatchObject({ status: 400 });
    expect(await accept('/passkey', { ...both, state: begun.state, credential, label: 'key' })).toMatchObject({ status: 429 });
    await console.pool.query('delete from sign_in_tries');
    expect(await accept('/passkey', { ...both, state: begun.state, credential, label: 'key' })).toMatchObject({ status: 200 });
  });

  it('takes a new code when it is made anew', async () => {
    const earlier = await approved('operators.add', { name: 'fred', role: 'viewer' });
    const { code } = (await codeOf('fred', anna)).json;
    const { token } = await approved('operators.reset', { name: 'fred' });
    expect(await accept('', { token: earlier.token, invitationCode: code })).toMatchObject({ status: 401 });
    expect(await accept('', { token, invitationCode: code })).toMatchObject({ status: 400 });
  });

  it('is not accepted by a code whose maker was reset since: others may know it', async () => {
    const carol = await console.signedIn('administrator', 'carla');
    const asked = await carol.act('operators.add', { name: 'hugo', role: 'administrator' });
    const id = asked.json.approval as string;
    const { result } = (await ben.decide(id)).json;
    const token = (result.invitation as string).split('#')[1] ?? '';
    const { code } = (await codeOf('hugo', carol)).json;
    await resetOperator(console.ledger, 'carla');
    expect(await accept('', { token, invitationCode: code })).toMatchObject({ status: 400 });
  });

  it('is not carried out by who asked for it, who would have both halves', async () => {
    const asked = await anna.act('operators.add', { name: 'gina', role: 'viewer' });
    const id = asked.json.approval as string;
    await decideApproval(console.ledger, id, { operator: 'ben', decision: 'approved', digest: await digestOf(id) });
    expect((await anna.get(`/api/approvals/${id}`)).json).toMatchObject({ isInterrupted: true, mayCarryOut: false });
    expect(await anna.post(`/api/approvals/${id}/carry-out`)).toMatchObject({ status: 403, json: { code: 'own_approval' } });
    expect(await ben.post(`/api/approvals/${id}/carry-out`)).toMatchObject({ status: 200, json: { result: { codeMaker: 'anna' } } });
  });

  it('is seen among the operators while it waits, with its approval, and not after it was decided', async () => {
    const { json } = await anna.act('operators.add', { name: 'ida', role: 'treasurer' });
    const requested = async () => (await ben.get('/api/operators')).json.requested;
    expect(await requested()).toEqual([
      { approval: json.approval, name: 'ida', role: 'treasurer', requestedBy: 'anna', requestedAt: expect.any(String) },
    ]);
    await ben.decide(json.approval, 'refuse');
    expect(await requested()).toEqual([]);
  });

  it('is not asked for oneself: nobody who is signed out could make its code', async () => {
    expect(await anna.act('operators.reset', { name: 'Anna' })).toMatchObject({ status: 400, json: { fields: { name: 'is your own' } } });
  });
});

describe('an operator who is disabled', () => {
  it('is let back in under the same name, by a new invitation that takes two, without what they had asked for', async () => {
    const carol = await console.signedIn('administrator', 'carol');
    const asked = await carol.act('operators.role', { name: 'ben', role: 'viewer' });
    expect(await anna.act('operators.enable', { name: 'carol' })).toMatchObject({
      status: 409,
      json: { code: 'not_possible', message: expect.stringContaining('is not disabled') as string },
    });
    await disableOperator(console.ledger, 'carol');
    const { token } = await approved('operators.enable', { name: 'Carol' });
    expect((await carol.get('/api/me')).status, 'the sessions of before stay ended').toBe(401);
    expect((await accept('', { token })).json).toMatchObject({ name: 'carol', role: 'administrator', needsCode: true });
    expect((await anna.get(`/api/approvals/${asked.json.approval}`)).json).toMatchObject({ state: 'withdrawn' });
    expect((await codeOf('carol', anna)).status).toBe(200);
  });
});
