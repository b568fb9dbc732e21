import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { findCaller, issueTokens, type TokenPair } from '../../../src/ledger/access/access-tokens.ts';
import { type Application, authenticateApplication } from '../../../src/ledger/access/applications/authenticate-application.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { hashSecret } from '../../../src/ledger/access/applications/secrets.ts';
import { createUser } from '../../../src/ledger/access/users.ts';
import { linkAddress } from '../../../src/ledger/customers/addresses.ts';
import { createProfile } from '../../../src/ledger/customers/profiles.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { testLedger } from '../../support/test-ledger.ts';

const { ledger } = testLedger();
let application: Application;
beforeAll(async () => {
  const owner = await createUser(ledger, { email: 'jane@example.com', name: 'Jane' });
  const { id, secret } = await createApplication(ledger, { kind: 'private', name: 'Shop', owner });
  application = (await authenticateApplication(ledger, id, secret)) as Application;
});
describe('an access token', () => {
  it('stands for its application and user', async () => {
    const { accessToken } = await issueTokens(ledger, application);
    expect(await findCaller(ledger, hashSecret(accessToken))).toMatchObject({
      application: application.id,
      kind: 'private',
      user: application.owner,
      defaultProfile: null,
    });
  });

  it('has 256 bits that nobody can guess, another each time', async () => {
    const pairs = await Promise.all(Array.from({ length: 10 }, () => issueTokens(ledger, application)));
    const tokens = pairs.flatMap(({ accessToken, refreshToken }) => [accessToken, refreshToken]);
    expect(new Set(tokens).size).toBe(20);
    for (const token of tokens) expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  });

  it('is worth nothing as a refresh token, nor the other way round', async () => {
    const { refreshToken } = await issueTokens(ledger, application);
    expect(await findCaller(ledger, hashSecret(refreshToken))).toBeUndefined();
  });

  it('clears away expired ones when it is issued, so that the tables do not grow without end', async () => {
    await Promise.all(Array.from({ length: 15 }, () => issueTokens(ledger, application)));
    await sql`update access_tokens set expires_at = now() - interval '1 second'`.execute(ledger);
    for (let issued = 0; issued < 3; issued += 1) await issueTokens(ledger, application);
    const { rows } = await sql<{ left: number }>`select count(*)::int as left from access_tokens where expires_at < now()`.execute(ledger);
    expect(rows[0]?.left).toBe(0);
  });

  it('clears away its grant a month later, unless something was linked through it', async () => {
    const profile = await createProfile(ledger, { kind: 'personal', name: 'Jane', state: 'approved', owner: application.owner });
    const [forgotten, kept] = [await issueTokens(ledger, application), await issueTokens(ledger, application)];
    const grantOf = async ({ accessToken }: TokenPair) => (await findCaller(ledger, hashSecret(accessToken)))?.grant ?? '';
    const [first, second] = [await grantOf(forgotten), await grantOf(kept)];
    const address = lowerAddress(`0x${'12'.repeat(20)}`);
    await linkAddress(ledger, { profile, address, chain: 'chiado', user: application.owner, sources: [{ grant: second }] });
    for (const table of ['access_tokens', 'refresh_tokens'])
      await sql`update ${sql.table(table)} set expires_at = now() - interval '1 second' where grant_id in (${first}, ${second})`.execute(
        ledger,
      );
    await sql`update grants set kept_until = now() - interval '1 second' where id in (${first}, ${second})`.execute(ledger);
    for (let issued = 0; issued < 3; issued += 1) {
      await issueTokens(ledger, application);
      await sql`update grants set kept_until = now() - interval '1 second' where id in (${first}, ${second})`.execute(ledger);
    }
    const { rows } = await sql<{ id: string }>`select id from grants where id in (${first}, ${second})`.execute(ledger);
    expect(rows).toEqual([{ id: second }]);
  });
});
