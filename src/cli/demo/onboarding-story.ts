import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createClient } from '../../client/client.ts';
import { linkMessage } from '../../client/messages.ts';
import { type Actors, compareBalance, followOrder, type OrderBody, waitFor } from './actors.ts';

/** The smallest document that is one: its content is what tells a PDF. */
const document = new TextEncoder().encode('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');

const details = {
  firstName: 'Anna',
  lastName: 'Karlsson',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavik',
  country: 'IS',
  nationality: 'IS',
  birthday: '1990-02-28',
};

const form = {
  occupation: 'OCCUPATION_EMPLOYED',
  profession: 'PROFESSION_LEGAL',
  fundOrigin: 'FUND_ORIGIN_SALARY',
  annualIncome: 'ANNUAL_INCOME_FROM_10K_TO_50K',
  monthlyTurnover: 'TURNOVER_UNDER_10K',
  monthlyTransactionCount: 'TRANSACTION_COUNT_UNDER_5',
  activities: ['ACTIVITY_COMMERCE_BUYING'],
  publicFunction: false,
  fundOwner: true,
  usCitizen: false,
  usTaxPerson: false,
  tin: '1234567890',
  taxResidenceCountry: 'IS',
};

const verifications = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'];

/** A partner brings a customer from nothing to tokens at the customer's own address. */
export async function tellOnboardingStory({ file, narrator }: Actors): Promise<void> {
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
  const actors: Actors = { client, file, narrator };

  narrator.step('A partner onboards a customer: details, form and documents, then a review');
  const { body: profile } = await client.request<{ id: string; state: string }>('POST', '/profiles', { kind: 'personal' });
  narrator.fact('profile', `${profile.id} is ${profile.state}`);
  await client.request('PATCH', `/profiles/${profile.id}/details`, { personal: details });
  await client.request('PATCH', `/profiles/${profile.id}/form`, { personal: form });
  const fileId = await client.upload('documents.pdf', document);
  await client.request('PATCH', `/profiles/${profile.id}/verifications`, {
    personal: verifications.map((kind) => ({ kind, documents: [{ fileId }] })),
  });
  const decided = await waitFor('the review', async () => {
    const { body } = await client.request<{ name: string; state: string }>('GET', `/profiles/${profile.id}`);
    return body.state === 'approved' || body.state === 'rejected' ? body : undefined;
  });
  narrator.fact('review', `${decided.name} is ${decided.state}`);

  narrator.step('The customer links an address, gets an IBAN, and is paid');
  // Each run brings a new customer, and an address belongs to one profile.
  const account = privateKeyToAccount(generatePrivateKey());
  const signature = await account.signMessage({ message: linkMessage });
  await client.request('POST', '/addresses', { profile: profile.id, address: account.address, chain: 'sepolia', signature });
  await client.request('POST', '/ibans', { address: account.address, chain: 'sepolia' });
  const iban = await waitFor('the IBAN', async () => {
    const { body } = await client.request<{ ibans: { iban: string; state: string }[] }>('GET', `/ibans?profile=${profile.id}`);
    return body.ibans.find(({ state }) => state === 'approved')?.iban;
  });
  narrator.fact('IBAN', iban);
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const { body } = await client.request<{ order: OrderBody }>('POST', '/sandbox/credits', {
    iban,
    amount: '80.00',
    currency: 'eur',
    payer,
  });
  await followOrder(actors, body.order.id);
  await compareBalance(actors, 'sepolia', account.address, 'eur');
}
