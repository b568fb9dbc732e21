import { expect, it } from 'vitest';
import { inviteOperator } from '../../src/ledger/operators/invitations.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { codeOf, cookieOf, invited, password } from './support/invited.ts';
import { useTestConsole } from './support/test-console.ts';
import { earlyInTotpStep } from '../support/totp-step.ts';

const console = useTestConsole();

const newPassword = 'nine quiet lamps by the sea';

/** Somebody who signs in by password and app, in two browsers. */
async function operatorWithPassword(name: string) {
  const { seed, accepted } = await invited(console, name, 'viewer');
  const recovery = accepted.json.recoveryCodes as string[];
  const signIn = (secret: string, code: string) =>
    console.send('POST', '/api/sign-in/password', { body: { name, password: secret, code } });
  const other = cookieOf(await signIn(password, recovery[0] ?? ''));
  const headers = { Cookie: cookieOf(accepted) };
  return {
    name,
    seed,
    recovery,
    signIn,
    get: (to: string) => console.send('GET', to, { headers }),
    post: (to: string, body: object = {}) => console.send('POST', `/api/account${to}`, { headers, body }),
    /** Whether the other browser is still signed in. */
    otherIsOpen: async () => (await console.send('GET', '/api/me', { headers: { Cookie: other } })).status === 200,
  };
}

it('whoever has a session changes nothing of what its operator signs in with', async () => {
  const operator = await operatorWithPassword('anna');
  const begun = (await operator.post('/passkeys/options')).json;
  const credential = JSON.parse(createAuthenticator('http://localhost:3010').create(begun.options)) as object;
  for (const [to, body] of [
    ['/password', { password: newPassword }],
    ['/app/seed', {}],
    ['/app', { code: codeOf(operator.seed) }],
    ['/passkeys', { state: begun.state, credential, label: 'key' }],
    ['/passkeys/0194d2c8-0000-7000-8000-000000000000/remove', {}],
    ['/recovery-codes', {}],
  ] as const)
    expect(await operator.post(to, body), to).toMatchObject({ status: 403, json: { code: 'proof_required' } });
  expect(await operator.post('/proof/password', { password, code: '000000' })).toMatchObject({ status: 401 });
  expect(await operator.post('/proof/password', { password: newPassword, code: codeOf(operator.seed) })).toMatchObject({ status: 401 });
  expect((await operator.get('/api/account')).json).toMatchObject({ isProven: false, hasPassword: true, hasApp: true, passkeys: [] });
  expect((await operator.post('/password', { password: newPassword })).status).toBe(403);
});

it('an operator changes their password, their app and their recovery codes, and other sessions end', async () => {
  const operator = await operatorWithPassword('ben');
  expect(await operator.post('/proof/password', { password, code: operator.recovery[1] })).toMatchObject({ status: 200 });
  expect(await operator.otherIsOpen()).toBe(true);
  expect(await operator.post('/password', { password: 'password2026!' })).toMatchObject({ status: 400 });
  expect(await operator.post('/password', { password: newPassword })).toMatchObject({ status: 200 });
  expect(await operator.otherIsOpen()).toBe(false);
  expect((await operator.get('/api/me')).status, 'the session that changes it stays').toBe(200);

  const { seed } = (await operator.post('/app/seed')).json;
  expect(await operator.post('/app', { code: '000000' })).toMatchObject({ status: 400 });
  const other = await operatorWithPassword('bert');
  await other.post('/proof/password', { password, code: other.recovery[1] });
  const foreign = (await other.post('/app/seed')).json;
  expect(await operator.post('/app', { code: codeOf(foreign.seed) }), "another's seed").toMatchObject({ status: 400 });
  await earlyInTotpStep();
  expect(await operator.post('/app', { code: codeOf(seed, -1) })).toMatchObject({ status: 200 });
  const { recoveryCodes } = (await operator.post('/recovery-codes')).json;

  expect((await operator.signIn(password, codeOf(seed))).status).toBe(401);
  expect((await operator.signIn(newPassword, codeOf(operator.seed))).status).toBe(401);
  expect((await operator.signIn(newPassword, operator.recovery[2] ?? '')).status).toBe(401);
  expect((await operator.signIn(newPassword, codeOf(seed))).status).toBe(200);
  expect((await operator.signIn(newPassword, recoveryCodes[0])).status).toBe(200);

  await console.pool.query("update sessions set proved_at = now() - interval '6 minutes' where operator = 'ben'");
  expect((await operator.post('/recovery-codes')).status, 'a proof is good for five minutes').toBe(403);
  const { rows } = await console.pool.query("select distinct action from audit_log where subject = 'ben' and actor = 'ben'");
  expect(rows.map(({ action }: { action: string }) => action)).toEqual(
    expect.arrayContaining([
      'operator.prove',
      'operator.password',
      'operator.totp-remove',
      'operator.totp-add',
      'operator.recovery-codes',
      'operator.sign-out',
    ]),
  );
});

it('an operator adds and removes passkeys, and keeps one way to sign in', async () => {
  const authenticator = createAuthenticator('http://localhost:3010');
  await addOperator(console.ledger, { name: 'carol', role: 'viewer' });
  const token = await inviteOperator(console.ledger, 'carol');
  const invited = (await console.send('POST', '/api/invitation/passkey/options', { body: { token } })).json;
  const first = { token, state: invited.state, credential: JSON.parse(authenticator.create(invited.options)) as object, label: 'key' };
  const headers = { Cookie: cookieOf(await console.send('POST', '/api/invitation/passkey', { body: first })) };
  const post = (to: string, body: object = {}) => console.send('POST', `/api/account${to}`, { headers, body });
  const passkeys = async () => (await console.send('GET', '/api/account', { headers })).json.passkeys as { id: string; name: string }[];

  const asked = (await post('/proof/passkey/options')).json;
  const proof = { state: asked.state, credential: JSON.parse(authenticator.get(asked.options)) as object };
  expect(await console.send('POST', '/api/sign-in/passkey', { body: proof }), 'a proof is no sign-in').toMatchObject({ status: 401 });
  const again = (await post('/proof/passkey/options')).json;
  expect(
    await post('/proof/passkey', { state: again.state, credential: JSON.parse(authenticator.get(again.options)) as object }),
  ).toMatchObject({
    status: 200,
  });
  const [key] = await passkeys();
  expect(await post(`/passkeys/${key?.id}/remove`)).toMatchObject({
    status: 409,
    json: { code: 'not_possible', message: expect.stringContaining('You sign in with nothing else') as string },
  });
  expect(await post('/password', { password: newPassword }), 'without an app').toMatchObject({ status: 400 });

  const begun = (await post('/passkeys/options')).json;
  const credential = JSON.parse(createAuthenticator('http://localhost:3010').create(begun.options)) as object;
  expect(await post('/passkeys', { state: begun.state, credential, label: 'second key' })).toMatchObject({ status: 200 });
  expect(await post(`/passkeys/${key?.id}/remove`)).toMatchObject({ status: 200 });
  expect(await passkeys()).toMatchObject([{ name: 'second key' }]);
});
