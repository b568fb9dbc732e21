import { randomUUID } from 'node:crypto';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { type Chain, type Client, linkMessage, paymentMessage, type Schemas } from '../../client/index.ts';
import { kinds, person, personalForm } from '../api/customers/profiles-data.ts';
import { until } from '../support/until.ts';
import { insist } from './insist.ts';
import { pdf } from '../support/documents.ts';

/** A customer whom a partner onboards through the API. */
export interface Customer {
  profile: string;
  account: PrivateKeyAccount;
  iban: string;
}

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

const document = new File([pdf], 'documents.pdf');

/** Gives all that a person is asked for; the family name decides about the review (docs/sandbox.md, Reviews). */
export async function submitPerson(client: Client, lastName: string): Promise<string> {
  const { id: profile } = await client.post('/profiles', { body: { kind: 'personal' } });
  const path = { profile };
  await client.patch('/profiles/{profile}/details', { path, body: { personal: { ...person, lastName } } });
  await client.patch('/profiles/{profile}/form', { path, body: { personal: personalForm as Schemas['PersonalForm'] } });
  const { id: fileId } = await client.upload(document);
  const personal = kinds.personal.map((kind) => ({ kind, documents: [{ fileId }] })) as Schemas['PersonalVerifications'];
  await client.patch('/profiles/{profile}/verifications', { path, body: { personal } });
  return profile;
}

/** A person who is approved, has linked a new address on chiado, and has an IBAN. */
export async function onboard(client: Client): Promise<Customer> {
  const profile = await submitPerson(client, 'Karlsson');
  await until('the profile is approved', async () => {
    const { state } = await insist(() => client.get('/profiles/{profile}', { path: { profile } }));
    return state === 'approved' || undefined;
  });
  const account = privateKeyToAccount(generatePrivateKey());
  const signature = await account.signMessage({ message: linkMessage });
  await insist(() => client.post('/addresses', { body: { profile, address: account.address, chain: 'chiado', signature } }));
  return { profile, account, iban: await openIban(client, account.address, 'chiado', profile) };
}

/**
 * Requests an IBAN for a linked address. Returns that of the profile once it is approved, which leads elsewhere when it had one before; `profile` is
 * needed where the caller acts for several.
 */
export async function openIban(client: Client, address: string, chain: Chain, profile?: string): Promise<string> {
  await insist(() => client.post('/ibans', { body: { address, chain } }));
  return until('the IBAN is approved', async () => {
    const { ibans } = await insist(() => client.get('/ibans', { query: { ...(profile !== undefined && { profile }) } }));
    return ibans.find(({ state }) => state === 'approved')?.iban;
  });
}

/** Somebody pays the customer. Returns the order's id. */
export async function pay(client: Client, { iban }: Customer, amount: string): Promise<string> {
  const body = { iban, amount, currency: 'eur' as const, payer, reference: randomUUID() };
  const { order } = await insist(() => client.post('/sandbox/credits', { body }));
  return order?.id as string;
}

/** The customer pays out to an IBAN. Returns the order's id. */
export async function redeem(client: Client, { account }: Customer, amount: string, iban: string): Promise<string> {
  const message = paymentMessage({ currency: 'eur', amount, to: { iban } });
  const order = {
    id: randomUUID(),
    kind: 'redeem' as const,
    address: account.address,
    chain: 'chiado' as const,
    currency: 'eur' as const,
    amount,
    counterpart: { identifier: { standard: 'iban' as const, iban }, details: { name: payer.name, country: 'IS' } },
    message,
    signature: await account.signMessage({ message }),
  };
  await insist(() => client.post('/orders', { body: order }));
  return order.id;
}
