import { accountOf, type Actors, compareBalance, followOrder, linkAddress, type OrderBody, waitFor } from './actors.ts';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

interface CreditAnswer {
  credit: { reference: string };
  order: OrderBody | null;
}

/** From nothing to tokens: an address, an IBAN, and credits from the bank. Returns the IBAN. */
export async function tellIssueStory(actors: Actors): Promise<string> {
  const { client, narrator } = actors;
  const account = accountOf(actors, 0);

  narrator.step('A customer proves that an address is theirs, by a signature');
  await linkAddress(actors, account, 'chiado');
  await linkAddress(actors, account, 'sepolia');

  narrator.step('The address gets an IBAN');
  await client.request('POST', '/ibans', { address: account.address, chain: 'chiado' });
  const iban = await waitFor('the IBAN', async () => {
    const { body } = await client.request<{ ibans: { iban?: string; state: string }[] }>('GET', '/ibans');
    return body.ibans.find(({ state }) => state === 'approved')?.iban;
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

async function receive(actors: Actors, credit: object): Promise<void> {
  const { body } = await actors.client.request<CreditAnswer>('POST', '/sandbox/credits', credit);
  actors.narrator.fact('credit', body.credit.reference);
  await followOrder(actors, body.order?.id as string);
}
