import type { Schemas } from '../../client/index.ts';
import { accountOf, type Actors, compareBalance, followOrder, linkAddress, waitFor } from './actors.ts';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** From nothing to tokens: an address, an IBAN, and credits from the bank. Returns the IBAN. */
export async function tellIssueStory(actors: Actors): Promise<string> {
  const { client, narrator } = actors;
  const account = accountOf(actors, 0);

  narrator.step('A customer proves that an address is theirs, by a signature');
  await linkAddress(actors, account, 'chiado');
  await linkAddress(actors, account, 'sepolia');

  narrator.step('The address gets an IBAN');
  await client.post('/ibans', { body: { address: account.address, chain: 'chiado' } });
  const iban = await waitFor('the IBAN', async () => {
    const { ibans } = await client.get('/ibans');
    return ibans.find(({ state }) => state === 'approved')?.iban;
  });
  narrator.fact('IBAN', iban);

  narrator.step('Somebody pays 125.50 euro to the IBAN: the money becomes tokens at the address');
  await receive(actors, { iban, amount: '125.50', currency: 'eur', payer, remittance: 'Invoice 7' });
  await compareBalance(actors, 'chiado', account.address, 'eur');

  narrator.step('The payer names another chain in the remittance text: the tokens go there');
  await receive(actors, { iban, amount: '20.00', currency: 'gbp', payer, remittance: `sepolia:${account.address}` });
  await compareBalance(actors, 'sepolia', account.address, 'gbp');
  return iban;
}

async function receive(actors: Actors, payment: Schemas['SandboxCredit']): Promise<void> {
  const { credit, order } = await actors.client.post('/sandbox/credits', { body: payment });
  actors.narrator.fact('credit', credit.reference);
  await followOrder(actors, order?.id as string);
}
