import { expect, it } from 'vitest';
import { inviteOperator } from '../../src/ledger/operators/invitations.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { codeOf, cookieOf, invited, password } from './support/invited.ts';
import { useTestConsole } from './support/test-console.ts';

const console = useTestConsole();

const signIn = (name: string, code: string, secret = password) =>
  console.send('POST', '/api/sign-in/password', { body: { name, password: secret, code } });

const me = (cookie: string) => console.send('GET', '/api/me', { headers: { Cookie: cookie } });

it('an invitation sets password and app once, and signs in', async () => {
  const { token, seed, accepted } = await invited(console, 'anna', 'treasurer');
  expect(accepted.status).toBe(200);
  expect(accepted.json.recoveryCodes).toHaveLength(10);
  expect((await me(cookieOf(accepted))).json).toMatchObject({ name: 'anna', role: 'treasurer' });
  expect(await console.send('POST', '/api/invitation', { body: { token } })).toMatchObject({ status: 401 });
  expect(await signIn('anna', '', password)).toMatchObject({ status: 400 });
  expect(await signIn('anna', '000000')).toMatchObject({ status: 401, json: { code: 'sign_in_failed' } });
  const code = codeOf(seed);
  expect(await signIn('ANNA', code, 'another password')).toMatchObject({ status: 401 });
  expect(await signIn('ANNA', code)).toMatchObject({ status: 200 });
  expect(await signIn('anna', code), 'a code is good once').toMatchObject({ status: 401 });
  const [recovery] = accepted.json.recoveryCodes as string[];
  expect(await signIn('anna', recovery ?? '')).toMatchObject({ status: 200 });
  expect(await signIn('anna', recovery ?? '')).toMatchObject({ status: 401 });
});

it('guesses are slowed down, whether there is such an operator or not', async () => {
  for (const name of ['nobody', 'anna']) {
    for (let n = 0; n < 5; n += 1) await signIn(name, '123456', 'wrong');
    expect(await signIn(name, '123456', 'wrong')).toMatchObject({ status: 429 });
  }
});

it('wrong passwords, and wrong codes after the right one, are in the audit log, without a flood', async () => {
  const { seed } = await invited(console, 'frida', 'treasurer');
  const { rows: before } = await console.pool.query(
    "select 1 from audit_log where action = 'operator.sign-in-failed' and subject = '(nobody)' and detail ->> 'factor' = 'password'",
  );
  expect(before).toHaveLength(1);
  await signIn('Frida', codeOf(seed), 'wrong');
  await signIn('Frida', codeOf(seed), 'wrong again');
  await signIn('Frida', '000000');
  const { rows } = await console.pool.query(
    "select actor_kind, detail from audit_log where action = 'operator.sign-in-failed' and subject = 'frida' order by id",
  );
  expect(rows).toEqual([
    { actor_kind: 'system', detail: { factor: 'password', failures: 1 } },
    { actor_kind: 'system', detail: { factor: 'code', failures: 1 } },
  ]);
});

it('wrong answers of passkeys, and wrong links and codes of invitations, are in the audit log, too', async () => {
  await addOperator(console.ledger, { name: 'gerda', role: 'viewer' });
  await addOperator(console.ledger, { name: 'hanna', role: 'administrator' });
  const token = await inviteOperator(console.ledger, 'gerda', { codeMaker: 'hanna' });
  const wrong = { token, invitationCode: 'aaaaaa-bbbbbb-cccccc' };
  expect(await console.send('POST', '/api/invitation', { body: wrong })).toMatchObject({ status: 400 });
  expect(await console.send('POST', '/api/invitation', { body: { token: 'unknown' } })).toMatchObject({ status: 401 });
  const body = { state: 'unknown', credential: { id: 'unknown' } };
  expect(await console.send('POST', '/api/sign-in/passkey', { body })).toMatchObject({ status: 401 });
  const { rows } = await console.pool.query(
    `select subject, detail from audit_log where action = 'operator.sign-in-failed' and detail ->> 'factor' in ('passkey', 'invitation') order by id`,
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      { subject: 'gerda', detail: { factor: 'invitation', failures: 1 } },
      { subject: '(nobody)', detail: { factor: 'invitation', failures: 1 } },
      { subject: '(nobody)', detail: { factor: 'passkey', failures: 1 } },
    ]),
  );
});

it('what somebody types as a name, perhaps their password, is not kept in clear', async () => {
  await signIn('Correct staple of a horse', '123456', 'x');
  const { rows } = await console.pool.query('select t::text as text from sign_in_tries t');
  expect(rows).not.toEqual([]);
  expect(rows.filter(({ text }: { text: string }) => /staple/i.test(text))).toEqual([]);
});

it('a weak password and a wrong first code are turned down by their field, and the invitation stays', async () => {
  await addOperator(console.ledger, { name: 'ben', role: 'viewer' });
  const token = await inviteOperator(console.ledger, 'ben');
  const { totp } = (await console.send('POST', '/api/invitation', { body: { token } })).json;
  const set = (body: object) => console.send('POST', '/api/invitation/password', { body: { token, ...body } });
  expect(await set({ password: 'password2026!', code: codeOf(totp.seed) })).toMatchObject({
    json: { fields: { password: expect.any(String) as string } },
  });
  expect(await set({ password, code: '000000' })).toMatchObject({ json: { fields: { code: expect.any(String) as string } } });
  expect(await set({ password, code: codeOf(totp.seed) })).toMatchObject({ status: 200 });
});

it('a passkey accepts an invitation, and signs in', async () => {
  const authenticator = createAuthenticator('http://localhost:3010');
  await addOperator(console.ledger, { name: 'carol', role: 'reviewer' });
  const token = await inviteOperator(console.ledger, 'carol');
  const begun = (await console.send('POST', '/api/invitation/passkey/options', { body: { token } })).json;
  const credential = JSON.parse(authenticator.create(begun.options)) as object;
  const accepted = await console.send('POST', '/api/invitation/passkey', { body: { token, state: begun.state, credential, label: 'key' } });
  expect(accepted.status).toBe(200);
  const asked = (await console.send('POST', '/api/sign-in/passkey/options')).json;
  const body = { state: asked.state, credential: JSON.parse(authenticator.get(asked.options)) as object };
  const signed = await console.send('POST', '/api/sign-in/passkey', { body });
  expect((await me(cookieOf(signed))).json).toMatchObject({ name: 'carol' });
  expect(await console.send('POST', '/api/sign-in/passkey', { body }), 'a challenge is good once').toMatchObject({ status: 401 });
});

it('only what a person does is use of a session, and no page that reads by itself', async () => {
  const operator = await console.signedIn('viewer');
  const ageOfUse = async () => {
    const { rows } = await console.pool.query(
      'select extract(epoch from now() - last_used_at)::int as age from sessions where operator = $1',
      [operator.name],
    );
    return rows[0].age as number;
  };
  await console.pool.query("update sessions set last_used_at = now() - interval '20 minutes' where operator = $1", [operator.name]);
  for (const to of ['/api/me', '/api/approvals', '/api/overview/status']) expect((await operator.get(to)).status).toBe(200);
  expect(await ageOfUse()).toBeGreaterThanOrEqual(1_200);
  expect((await operator.get('/api/me')).json).toMatchObject({ idleSeconds: 1_800 });
  expect((await operator.get('/api/me')).json.idleSecondsLeft).toBeLessThanOrEqual(600);
  expect((await operator.post('/api/session/use')).status).toBe(200);
  expect(await ageOfUse()).toBeLessThan(60);
});

it('sessions end without use, and after a working day', async () => {
  for (const change of ["last_used_at = now() - interval '31 minutes'", "expires_at = now() - interval '1 second'"]) {
    const operator = await console.signedIn('viewer');
    await console.pool.query(`update sessions set ${change} where operator = $1`, [operator.name]);
    expect((await operator.get('/api/me')).status).toBe(401);
  }
});
