import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { createClient, linkMessageFor, type Schemas } from '../../client/index.ts';
import { type DemoContext, compareBalance, followOrder, waitFor } from './shared-steps.ts';

/** A PDF of one empty page: a document has to open. */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
trailer<</Root 1 0 R>>
%%EOF
`;

/** A document for every verification of the demo. */
export const document = new File([pdf], 'documents.pdf');

/** The details of the demo's customers. */
export const customerDetails: Schemas['PersonalDetails'] & Record<string, string> = {
  firstName: 'Anna',
  lastName: 'Karlsson',
  address: 'Laugavegur 1',
  postalCode: '101',
  city: 'Reykjavik',
  country: 'IS',
  nationality: 'IS',
  birthday: '1990-02-28',
};

/** The form of the demo's customers. */
export const customerForm: Schemas['PersonalForm'] = {
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

const verifications = ['idDocument', 'facialSimilarity', 'proofOfResidency', 'sourceOfFunds'] as const;

/** Onboarding: a partner registers a customer, who receives tokens at an own address. Returns the customer's IBAN. */
export async function demonstrateOnboarding({ file, chains, printer }: DemoContext): Promise<string> {
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel });
  const context: DemoContext = { client, file, chains, printer };
  const chain = chains.other ?? chains.home;

  printer.step('A partner onboards a customer: details, form and documents, then the review');
  const { id: profile, state } = await client.post('/profiles', { body: { kind: 'personal' } });
  printer.fact('profile', `${profile} is ${state}`);
  await client.patch('/profiles/{profile}/details', { path: { profile }, body: { personal: customerDetails } });
  await client.patch('/profiles/{profile}/form', { path: { profile }, body: { personal: customerForm } });
  const { id: fileId } = await client.upload(document);
  const personal = verifications.map((kind) => ({ kind, documents: [{ fileId }] }));
  await client.patch('/profiles/{profile}/verifications', { path: { profile }, body: { personal } });
  const decided = await waitFor('The review', async () => {
    const current = await client.get('/profiles/{profile}', { path: { profile } });
    return current.state === 'approved' || current.state === 'rejected' ? current : undefined;
  });
  printer.fact('review', `${decided.name} is ${decided.state}`);

  printer.step('The customer links an address, receives an IBAN, and is paid');
  // Each run brings a new customer, and an address belongs to one profile.
  const account = privateKeyToAccount(generatePrivateKey());
  const message = linkMessageFor({ baseUrl: file.apiUrl, profile, address: account.address, chain });
  const signature = await account.signMessage({ message });
  await client.post('/addresses', { body: { profile, address: account.address, chain, message, signature } });
  await client.post('/ibans', { body: { address: account.address, chain } });
  const iban = await waitFor('The IBAN', async () => {
    const { ibans } = await client.get('/ibans', { query: { profile } });
    return ibans.find(({ state }) => state === 'approved')?.iban;
  });
  printer.fact('IBAN', iban);
  const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
  const { order } = await client.post('/sandbox/credits', { body: { iban, amount: '80.00', currency: 'eur', payer } });
  await followOrder(context, order?.id as string);
  await compareBalance(context, chain, account.address, 'eur');
  return iban;
}
