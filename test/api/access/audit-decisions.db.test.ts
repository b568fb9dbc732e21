import { describe, expect, it } from 'vitest';
import { listAudit } from '../../../src/ledger/access/audit-log.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { decideProfile } from '../../../src/ledger/customers/profile-review.ts';
import { acknowledgeBreach } from '../../../src/ledger/reserve/acknowledge-breach.ts';
import { recordBreach } from '../../../src/ledger/reserve/breaches.ts';
import { matchCredit } from '../../../src/ledger/bank/unmatched/match-unmatched.ts';
import { returnCredit } from '../../../src/ledger/bank/unmatched/return-credit.ts';
import { actAs } from '../../../src/platform/acting.ts';
import { minorUnits } from '../../../src/platform/money.ts';
import { creditTo } from '../../support/credits.ts';
import { createTestApi } from '../support/test-api.ts';
import { completed, person } from '../customers/profiles-data.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);

const by = (actor: string) => listAudit(api.ledger, { actor, limit: 1_000 });
const asOperator = <T>(id: string, work: () => Promise<T>) => actAs({ kind: 'operator', id, correlationId: 'case-1' }, work);
const options = { source: 'statement.xml', defaultMemo: 'Powered by Mintrail', tokens: ['chiado:eur'] };
const payer = { name: 'Jon Jonsson', iban: 'IS140159260076545510730339' };

/** A credit to an IBAN that is not assigned yet. */
async function waiting(reference: string, iban: string): Promise<string> {
  await recordCredits(api.ledger, [creditTo(iban, 1_050n, { reference, payer, remittance: 'Rent' })], options);
  return reference;
}

describe('what an operator decides', () => {
  it('is recorded: a credit that is returned, and one that is matched', async () => {
    const iban = 'IS140159260076545510730339';
    const [back, onwards] = [await waiting('BACK', iban), await waiting('ON', iban)];
    const caller = await api.partner();
    const wallet = await caller.link();
    await caller.post('/ibans', { address: wallet.address, chain: 'chiado' });
    await api.ledger.updateTable('ibans').set({ iban, bic: 'MNTRIS22', state: 'approved' }).where('profile', '=', caller.profile).execute();
    await asOperator('olga', () => returnCredit(api.ledger, back));
    const { orderId } = await asOperator('olga', () => matchCredit(api.ledger, onwards, options));
    const entries = await by('olga');
    expect(entries).toMatchObject([
      { action: 'credit.match', subject: onwards, correlationId: 'case-1', detail: { amount: 1050, currency: 'eur', order_id: orderId } },
      { action: 'credit.return', subject: back, actorKind: 'operator', detail: { amount: 1050, currency: 'eur' } },
    ]);
    for (const personal of [payer.name, payer.iban, 'Rent']) expect(JSON.stringify(entries)).not.toContain(personal);
  });

  it('is recorded: a breach of the reserve that is acknowledged', async () => {
    const subject = { comparison: 'index', currency: 'eur', account: 'liabilities:tokens:chiado', chain: 'chiado' } as const;
    await recordBreach(api.ledger, subject, minorUnits(5n));
    const acknowledgement = {
      comparison: 'index',
      currency: 'eur',
      reason: 'a stolen key',
      items: [{ text: 'minted', amount: minorUnits(5n) }],
    } as const;
    await asOperator('otto', () => acknowledgeBreach(api.ledger, { ...acknowledgement, operator: 'otto' }));
    const detail = { comparison: 'index', difference: 5, reason: 'a stolen key', items: [{ text: 'minted', amount: '5' }] };
    expect(await by('otto')).toMatchObject([{ action: 'reserve.acknowledge', subject: 'eur', detail }]);
  });

  it('is recorded: the review of a profile', async () => {
    const profile = await completed(api, await api.partner('whitelabel'));
    await asOperator('olaf', () =>
      decideProfile(api.ledger, profile, { decision: 'rejected', reason: 'Anna is not Anna' }, { by: 'olaf' }),
    );
    const entries = await by('olaf');
    expect(entries).toMatchObject([{ action: 'profile.review', subject: profile, detail: { decision: 'rejected' } }]);
    expect(JSON.stringify(entries)).not.toContain('Anna');
  });

  it('is recorded as the service itself where the sandbox decides, with nobody acting', async () => {
    const profile = await completed(api, await api.partner('whitelabel'));
    await decideProfile(api.ledger, profile, { decision: 'approved' }, { by: 'sandbox' });
    const [entry] = await listAudit(api.ledger, { subject: profile, action: 'profile.review', limit: 1 });
    expect(entry).toMatchObject({ actorKind: 'system', actor: 'sandbox', detail: { decision: 'approved' } });
  });
});

describe('what a partner gives of a customer', () => {
  it('is recorded by its section, without what is in it', async () => {
    const partner = await api.partner('whitelabel');
    const profile = await completed(api, partner);
    const entries = await by(partner.clientId);
    const actions = new Set(
      entries.map(({ action, detail }) => (typeof detail['section'] === 'string' ? `${action} ${detail['section']}` : action)),
    );
    expect([...actions].toReversed()).toEqual(['profile.create', 'profile.submit details', 'profile.submit form', 'profile.verify']);
    expect(new Set(entries.map(({ subject }) => subject))).toEqual(new Set([profile]));
    const text = JSON.stringify(entries);
    for (const personal of [person.lastName, person.birthday, person.address, 'passport.pdf', '1234567890'])
      expect(text).not.toContain(personal);
  });
});
