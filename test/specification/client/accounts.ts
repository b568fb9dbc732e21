import { randomUUID } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { expect } from 'vitest';
import { company, corporateForm, person, personalForm } from '../../api/customers/profiles-data.ts';
import { png } from '../../support/documents.ts';
import { createOperator } from '../operator.ts';
import { createPerson } from '../people.ts';
import { type Environment, secret, startService } from '../service.ts';
import { type Caller, createSpecificationClient, linkSentence, paymentText, pkce, siwe, verifiedEvent } from './specification-client.ts';

const networks = {
  sandbox: { chain: 'chiado', chainId: 10_200, other: 'basesepolia' },
  production: { chain: 'gnosis', chainId: 100, other: 'base' },
} as const;

export const redirectUri = 'https://shop.example/callback';
export const privacyPolicyUrl = 'https://shop.example/privacy';
export const termsUrl = 'https://shop.example/terms';

export const payeeIban = 'DE89370400440532013000';
export const payee = {
  identifier: { standard: 'iban', iban: payeeIban },
  details: { firstName: 'Max', lastName: 'Mustermann', country: 'DE' },
};

export const forms = { personal: personalForm, corporate: corporateForm };
const details = { personal: person, corporate: company };

export const createWallet = () => privateKeyToAccount(generatePrivateKey());
export type Wallet = ReturnType<typeof createWallet>;

/** The service, a private application of an approved owner, and a partner with an approved customer. All that the client does there is of the specification. */
export async function openAccounts(environment: Environment) {
  const service = await startService(environment, { verifiesBy: secret });
  const { chain } = networks[environment];
  const client = createSpecificationClient(service.url);
  const operator = createOperator(service);

  const credentials = (client_id: string, client_secret: string) =>
    client.grant({ grant_type: 'client_credentials', client_id, client_secret });

  const link = async (wallet: Wallet, on: string = chain) => ({
    address: wallet.address,
    chain: on,
    message: linkSentence,
    signature: await wallet.signMessage({ message: linkSentence }),
  });

  /** A new wallet that is linked by the fixed sentence, and has money. */
  async function linked(caller: Caller, more: object = {}): Promise<Wallet> {
    const wallet = createWallet();
    expect(await caller.addresses.link({ ...(await link(wallet)), ...more })).toBe(201);
    service.api.fund(wallet.address, 1_000_000n, 'eur', chain);
    return wallet;
  }

  /** In production the credentials work once the owner's profile is approved. */
  async function openPrivate() {
    const { profile, email } = await createPerson(service).come();
    const { id: clientId, secret: clientSecret } = await operator.register({ kind: 'private', owner: email });
    if (environment === 'production') await expect(credentials(clientId, clientSecret)).rejects.toMatchObject({ status: 400 });
    await operator.review(profile);
    const caller = client.as((await credentials(clientId, clientSecret)).access_token);
    return { caller, profile, clientId, clientSecret, wallet: await linked(caller) };
  }

  /** In production the credentials work once an operator approves the partner. */
  async function openPartner(): Promise<Caller> {
    const { id, secret: clientSecret } = await operator.register({ kind: 'whitelabel', owner: operator.newEmail() });
    if (environment === 'production') {
      await expect(credentials(id, clientSecret)).rejects.toMatchObject({ status: 400 });
      await operator.approveApplication(id);
    }
    return client.as((await credentials(id, clientSecret)).access_token);
  }

  const own = await openPrivate();
  const partner = await openPartner();

  /** A customer of the partner, whose data is complete: the profile is in review. */
  async function submitCustomer(kind: 'personal' | 'corporate'): Promise<string> {
    const created = await partner.profiles.create({ kind });
    expect([created, created.details, created.form].map(({ state }) => state)).toEqual(['incomplete', 'incomplete', 'incomplete']);
    const { id } = created;
    const { id: fileId } = await partner.upload('document.png', png);
    await partner.profiles.submit(id, 'details', { [kind]: details[kind] });
    await partner.profiles.submit(id, 'form', { [kind]: forms[kind] });
    const { verifications } = await partner.profiles.show(id);
    const documents = [{ fileId, kind: 'other', side: 'front' }];
    const updates = verifications.map(({ kind: verified, personId }) => ({ kind: verified, personId, documents }));
    await partner.profiles.submit(id, 'verifications', { [kind]: updates });
    expect((await partner.profiles.show(id)).state).toBe('pending');
    return id;
  }

  const profile = await submitCustomer('personal');
  await operator.review(profile);

  return {
    ...networks[environment],
    service,
    client,
    operator,
    credentials,
    link,
    linked,
    submitCustomer,
    /** The owner of a private application. */
    own,
    partner,
    customer: { caller: partner, profile, wallet: await linked(partner, { profile }) },

    /** A payment to a bank account, with what is changed, signed by the wallet. */
    payment: async (wallet: Wallet, amount = '10.50', changes: object = {}) => {
      const message = paymentText('eur', amount, payeeIban);
      const body = { kind: 'redeem', address: wallet.address, chain, currency: 'eur', amount, counterpart: payee, message, ...changes };
      return { ...body, signature: await wallet.signMessage({ message: body.message }) };
    },

    /** A subscription, and the events that it was told of, each verified. Those of before are not among them. */
    subscribe: async (caller: Caller, types?: string[]) => {
      await operator.dispatch();
      const path = `/${randomUUID()}`;
      const subscription = await caller.webhooks.subscribe({ url: service.hook(path), secret, ...(types ? { types } : {}) });
      const received = () => service.receiver.received.filter((delivery) => delivery.path === path);
      const events = () => received().map(({ headers, body }) => verifiedEvent(secret, headers, body));
      expect(events()).toEqual([{ type: 'subscription.created', timestamp: expect.any(String) }]);
      return { ...subscription, events };
    },

    /** A new user, who signs up on the hosted pages, is approved there, and lets an application act. */
    signUp: async (permission: 'read' | 'write') => {
      const registration = { owner: operator.newEmail(), redirectUris: [redirectUri], permission };
      const { id: client_id } = await operator.register({ kind: 'authorization_code', ...registration });
      const { verifier: code_verifier, challenge: code_challenge } = pkce();
      const { status, location } = await client.authorize('POST', { client_id, code_challenge, state: 'opaque', auth_mode: 'signup' });
      expect(status).toBe(307);
      const user = createPerson(service);
      const { profile: reviewed, page } = await user.come(location);
      await operator.review(reviewed);
      const back = await user.consent(page);
      return { user, profile: reviewed, page, back, grant: grantOf(client_id, back.searchParams, code_verifier) };
    },

    /** The resources that a message of a wallet names. */
    resources: [`${service.url}/siwe`, privacyPolicyUrl, termsUrl],

    /** What an application is told of a wallet that signs in there, and what it exchanges for tokens. */
    signInByWallet: async (method: 'GET' | 'POST', wallet: Wallet, resources?: string[]) => {
      const urls = { redirectUris: [redirectUri], privacyPolicyUrl, termsUrl };
      const { id: client_id } = await operator.register({ kind: 'authorization_code', owner: operator.newEmail(), ...urls });
      const { verifier: code_verifier, challenge: code_challenge } = pkce();
      const signed = await siwe({ wallet, chainId: networks[environment].chainId, redirectUri, resources });
      const asked = { client_id, code_challenge, authentication_method: 'siwe', ...signed, state: 'opaque' };
      const { status, location } = await client.authorize(method, asked);
      const { searchParams: answer } = location;
      expect([status, `${location.origin}${location.pathname}`, answer.get('state')]).toEqual([302, redirectUri, 'opaque']);
      return { answer, grant: grantOf(client_id, answer, code_verifier) };
    },
  };
}

const grantOf = (client_id: string, answer: URLSearchParams, code_verifier: string) => ({
  grant_type: 'authorization_code',
  client_id,
  code: answer.get('code') ?? '',
  code_verifier,
  redirect_uri: redirectUri,
});

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;
