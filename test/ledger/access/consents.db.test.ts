import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCaller, issueTokens, refreshTokens, type TokenPair } from '../../../src/ledger/access/access-tokens.ts';
import { type Application, authenticateApplication } from '../../../src/ledger/access/applications/authenticate-application.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { hashSecret } from '../../../src/ledger/access/applications/secrets.ts';
import { issueCode, redeemCode } from '../../../src/ledger/access/authorization-codes.ts';
import { listConsents, revokeConsent } from '../../../src/ledger/access/consents.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
let user: string;
beforeAll(async () => {
  user = await createUser(ledger, { email: 'jane@example.com', name: 'Jane' });
});
const redirectUri = 'https://shop.example/callback';

/** An application with the user's consent, and what it does with it. */
async function application(name: string) {
  const { id } = await createApplication(ledger, { kind: 'authorization_code', name, owner: user, redirectUris: [redirectUri] });
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const authorization = {
    user,
    application: id,
    redirectUri,
    codeChallenge,
    proof: { method: 'password' as const, subject: 'jane@example.com' },
  };
  const consent = () => inTransaction(ledger, (tx) => issueCode(tx, { ...authorization, permissions: ['read'] }));
  const redeem = (code: string) => redeemCode(ledger, { application: id, code, codeVerifier, redirectUri });
  const refresh = ({ refreshToken }: TokenPair) => refreshTokens(ledger, { application: id, isAuthenticated: false, refreshToken });
  return { id, consent, redeem, refresh };
}

const works = async ({ accessToken }: TokenPair) => (await findCaller(ledger, hashSecret(accessToken))) !== undefined;

describe('a consent', () => {
  it('is listed with when it was given and last used', async () => {
    const shop = await application('Corner Shop');
    const code = await shop.consent();
    expect(await listConsents(ledger, user)).toMatchObject([{ name: 'Corner Shop', permissions: ['read'], lastUsedAt: null }]);
    await shop.redeem(code);
    expect(await listConsents(ledger, user)).toMatchObject([{ application: shop.id, lastUsedAt: expect.any(Date) as Date }]);
  });

  it('ends with its tokens and codes, and no others', async () => {
    const [shop, bank] = [await application('Shop'), await application('Bank')];
    const unredeemed = await shop.consent();
    const mine = (await shop.redeem(await shop.consent())) as TokenPair;
    const theirs = (await bank.redeem(await bank.consent())) as TokenPair;
    expect(await revokeConsent(ledger, user, shop.id)).toBe(true);
    expect(await works(mine)).toBe(false);
    expect(await shop.refresh(mine)).toBe('unknown');
    expect(await shop.redeem(unredeemed)).toBe('unknown');
    expect(await works(theirs)).toBe(true);
    expect(await revokeConsent(ledger, user, shop.id)).toBe(false);
    expect((await listConsents(ledger, user)).map(({ name }) => name)).not.toContain('Shop');
    const actions = await ledger.selectFrom('auditLog').where('subject', '=', shop.id).orderBy('id').select('action').execute();
    expect(actions.map(({ action }) => action)).toEqual(['app.create', 'consent.grant', 'consent.grant', 'consent.revoke']);
  });

  it('leaves no token alive, whatever the application asks for at that moment', async () => {
    for (let round = 0; round < 10; round += 1) {
      const shop = await application('Racer');
      const code = await shop.consent();
      const granted = (await shop.redeem(await shop.consent())) as TokenPair;
      await Promise.all([shop.refresh(granted), revokeConsent(ledger, user, shop.id), shop.redeem(code)]);
      expect(
        await ledger.selectFrom('grants').where('application', '=', shop.id).where('endedAt', 'is', null).select('id').execute(),
      ).toEqual([]);
    }
  });

  it('is none of an application that acts for its owner by its own secret', async () => {
    const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Own', owner: user });
    const pair = await issueTokens(ledger, (await authenticateApplication(ledger, id, secret)) as Application);
    await revokeConsent(ledger, user, id);
    expect(await works(pair)).toBe(true);
  });
});
