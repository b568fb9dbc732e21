import { expect } from 'vitest';
import { linkMessage } from '../../../client/index.ts';
import { openSafe } from '../../../sandbox/demo/safe-wallet.ts';
import { until } from '../../support/until.ts';
import { onboard, submitPerson } from '../customers.ts';
import { type ConsoleWorld, hostile } from './world.ts';

/** The decisions about customers and their addresses. The family name `Review` leaves a profile to a person (docs/sandbox.md, Reviews). */
export function customerExercises(world: ConsoleWorld) {
  const { client, asker, byOne, byTwo, profileState } = world;
  const inReview = async () => {
    const profile = await submitPerson(client, 'Review');
    await asker.open('/customers');
    await asker.row(profile).click();
    await asker.page.getByText('Claimed: details').waitFor();
    return profile;
  };
  return {
    'customers.approve': async () => {
      const profile = await inReview();
      await byOne({ button: asker.button('Approve') });
      expect(await profileState(profile)).toBe('approved');
    },
    'customers.ask-for-more': async () => {
      const profile = await inReview();
      await byOne({
        button: asker.button('Ask for more'),
        fill: async (dialog) => {
          await dialog.getByLabel('Field 1').selectOption('details.firstName');
          await dialog.getByLabel('Reason 1').fill(hostile);
        },
      });
      expect(await profileState(profile)).toBe('incomplete');
    },
    'customers.reject': async () => {
      const profile = await inReview();
      await byOne({ button: asker.button('Reject'), reason: hostile });
      expect(await profileState(profile)).toBe('rejected');
    },
    'customers.release-address': async () => {
      const { profile, account } = await onboard(client);
      await asker.open(`/customers/${profile}`);
      await byTwo({ button: asker.button('Release') });
      const { addresses } = await client.get('/addresses', { query: { profile } });
      expect(addresses.map(({ address }) => address)).not.toContain(account.address);
    },
    'customers.decide-address': async () => {
      const { file, anna, bert } = world;
      const safe = await openSafe(file, 'sepolia', file.accounts.slice(7, 10));
      for (const { profile } of [anna, bert])
        await client.post('/addresses', { body: { profile, address: safe.address, chain: 'sepolia', signature: '0x' } });
      // Nobody is kept from anything before the account has signed.
      await safe.approve(linkMessage);
      await asker.open('/customers');
      const theirs = asker.page.getByRole('listitem').filter({ has: asker.page.locator(`a[href="/customers/${bert.profile}"]`) });
      await byTwo({ button: asker.button('It is theirs', theirs) });
      expect(await client.get('/signatures', { query: { profile: anna.profile } })).toMatchObject({ total: 0 });
      await until('it is linked', async () => {
        const { addresses } = await client.get('/addresses', { query: { profile: bert.profile } });
        return addresses.some(({ address }) => address === safe.address) || undefined;
      });
    },
  };
}
