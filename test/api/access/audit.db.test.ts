import { describe, expect, it } from 'vitest';
import { insertPair } from '../../../src/ledger/access/access-tokens.ts';
import { createGrant } from '../../../src/ledger/access/grants.ts';
import { createApplication } from '../../../src/ledger/access/applications/create-application.ts';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { assignIbans } from '../../support/assign-ibans.ts';
import { actAs } from '../../../src/platform/acting.ts';
import { burn } from './access-matrix-tenants.ts';
import { createTestApi, createWallet, linkBody } from '../support/test-api.ts';
import { payee, payeeIban, redeemer } from '../orders/redeeming.ts';
import { inTransaction } from '../../../src/ledger/ledger.ts';
import { pdf } from '../../support/documents.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const by = (actor: string) => listAudit(api.ledger, { actor, limit: 1_000 });
describe('the audit log', () => {
  it('holds what an application changes: who, when, what, and the correlation id', async () => {
    const caller = await api.partner();
    const wallet = createWallet();
    const headers = { ...caller.headers, 'Content-Type': 'application/json', 'X-Correlation-Id': 'support.case:17' };
    await api.send('POST', '/addresses', { headers, body: JSON.stringify(await linkBody(wallet)) });
    expect(await by(caller.clientId)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        at: expect.any(Date),
        actorKind: 'application',
        actor: caller.clientId,
        actorName: 'Shop',
        action: 'address.link',
        subjectKind: 'address',
        subject: wallet.address.toLowerCase(),
        subjectName: null,
        correlationId: 'support.case:17',
        detail: { chain: 'chiado', proof: 'sentence' },
      },
    ]);
  });

  it('holds every kind of change, in order, and nothing that reading does', async () => {
    const caller = await redeemer(api);
    const other = createWallet();
    await caller.link(other);
    await caller.post('/ibans', { address: caller.wallet.address, chain: 'chiado' });
    await assignIbans(api.ledger);
    const { iban } = (await caller.get('/ibans')).json.ibans[0];
    await caller.patch(`/ibans/${iban}`, { address: other.address, chain: 'chiado' });
    const order = (await caller.post('/orders', await caller.order())).json.id;
    await burn(api, order);
    await caller.post(`/sandbox/payouts/${order}/reject`, {});
    const credit = { iban, amount: '5', currency: 'eur', payer: { name: 'Max', iban: payeeIban } };
    await caller.post('/sandbox/credits', credit);
    await caller.get('/orders');
    const entries = await by(caller.clientId);
    expect(entries.map(({ action }) => action).toReversed()).toEqual([
      'address.link',
      'address.link',
      'iban.request',
      'iban.move',
      'order.place',
      'payment.reject',
      'credit.report',
    ]);
    const place = { subject: order, detail: { amount: 1050, currency: 'eur', chain: 'chiado', profile: caller.profile } };
    expect(entries.find(({ action }) => action === 'order.place')).toMatchObject(place);
    const text = JSON.stringify(entries);
    for (const personal of [payee.lastName, payeeIban, iban, 'Jane Doe', caller.secret]) expect(text).not.toContain(personal);
  });

  it('holds an upload', async () => {
    const caller = await api.partner();
    const form = new FormData();
    form.append('file', new Blob([pdf]), 'passport of Jane.pdf');
    const uploaded = await api.app.request('/files', { method: 'POST', headers: caller.headers, body: form });
    const { id } = (await uploaded.json()) as { id: string };
    const [entry] = await by(caller.clientId);
    expect(entry).toMatchObject({ action: 'file.upload', subject: id, detail: { type: 'application/pdf' } });
    expect(JSON.stringify(entry)).not.toContain('Jane');
  });

  it('names the user, and the application, when a user signed in', async () => {
    const { user } = await api.partner();
    const { id: application } = await createApplication(api.ledger, {
      kind: 'authorization_code',
      name: 'Web',
      owner: user,
      permissions: ['read', 'write'],
    });
    const grant = { application, user, proof: { method: 'password' as const, subject: 'jane@example.org' } };
    const { accessToken } = await inTransaction(api.ledger, async (tx) => insertPair(tx, await createGrant(tx, grant)));
    const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/json' };
    await api.send('POST', '/addresses', { headers, body: JSON.stringify(await linkBody(createWallet())) });
    expect(await by(user)).toMatchObject([{ actorKind: 'user', action: 'address.link', detail: { application } }]);
  });

  it('holds nothing of what was refused or taken back', async () => {
    const caller = await api.partner();
    const wallet = await (await api.partner()).link();
    expect((await caller.post('/addresses', await linkBody(wallet))).status).toBe(400);
    const failed = actAs({ kind: 'operator', id: 'olga' }, () =>
      inTransaction(api.ledger, async (tx) => {
        await tx.insertInto('users').values({ id: crypto.randomUUID(), email: 'x@example.org', name: 'X', defaultProfile: null }).execute();
        await createApplication(tx, { kind: 'private', name: 'Taken back', owner: caller.user });
        throw new Error('taken back');
      }),
    );
    await expect(failed).rejects.toThrow('taken back');
    expect(await by(caller.clientId)).toEqual([]);
    expect(await by('olga')).toEqual([]);
  });

  it('takes no word of a client into its statements', async () => {
    const caller = await api.partner();
    const id = "*/ delete from audit_log; /*' ;";
    await actAs({ kind: 'operator', id, correlationId: id }, () =>
      createApplication(api.ledger, { kind: 'private', name: 'x', owner: caller.user }),
    );
    const [entry] = await by(id.replaceAll(/[^\w.:@-]/g, '_'));
    expect(entry).toMatchObject({ action: 'app.create', actorKind: 'operator' });
  });
});

describe('credentials whose time has not come', () => {
  it('are refused with the reason, in the words of RFC 6749 too', async () => {
    const { user } = await api.partner();
    const { id, secret } = await createApplication(api.ledger, { kind: 'whitelabel', name: 'Shop', owner: user, approved: false });
    const { status, json } = await api.form({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    const message = 'The credentials become active when the application is approved as a partner.';
    expect(status).toBe(400);
    expect(json).toEqual({
      code: 400,
      status: 'Bad Request',
      message,
      reason: 'application_not_active',
      error: 'unauthorized_client',
      error_description: message,
    });
  });
});
