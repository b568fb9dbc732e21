import { randomBytes } from 'node:crypto';
import { createSiweMessage } from 'viem/siwe';
import { privacyPolicyUrl, redirectUri, termsUrl } from '../api/oauth/client.ts';
import { bankOrder } from '../api/orders/redeeming.ts';
import { secret, send, type World } from './world.ts';

export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

export const own = (world: World) => world.private.own;

export const target = (world: World) => ({ address: own(world).wallet.address, chain: 'chiado' });

export const query = (fields: Record<string, string>) => `?${new URLSearchParams(fields).toString()}`;

export const authorize = (world: World, more: Record<string, string> = {}) => ({
  client_id: world.authorizationCode,
  code_challenge: challenge,
  redirect_uri: redirectUri,
  state: 'unchanged',
  ...more,
});

/** A message of a user who has linked the address by the fixed sentence. */
export async function siwe(world: World): Promise<Record<string, string>> {
  const { wallet } = own(world);
  const message = createSiweMessage({
    domain: 'shop.example',
    address: wallet.address,
    uri: redirectUri,
    version: '1',
    chainId: 10200,
    nonce: randomBytes(12).toString('hex'),
    issuedAt: new Date(),
    expirationTime: new Date(Date.now() + 300_000),
    resources: [`${world.url}/siwe`, privacyPolicyUrl, termsUrl],
  });
  const signature = await wallet.signMessage({ message });
  return { client_id: world.authorizationCode, code_challenge: challenge, authentication_method: 'siwe', message, signature };
}

export async function code(world: World): Promise<string> {
  const { headers } = await send(world, 'POST', '/auth', { form: await siwe(world) });
  return new URL(headers.get('Location') ?? '').searchParams.get('code') ?? '';
}

/** The refresh token of a user's application, which runs where no secret can be kept. */
export async function userRefreshToken(world: World): Promise<string> {
  const grant = { grant_type: 'authorization_code', client_id: world.authorizationCode, redirect_uri: redirectUri };
  const { json } = await world.api.form({ ...grant, code: await code(world), code_verifier: verifier });
  return (json as { refresh_token: string }).refresh_token;
}

export async function made(world: World, path: string, json: object): Promise<string> {
  const { text } = await send(world, 'POST', path, { as: 'whitelabel', json });
  return (JSON.parse(text) as { id: string }).id;
}

export const newProfile = (world: World, kind = 'personal') => made(world, '/profiles', { kind });

export const newSubscription = (world: World) => made(world, '/webhooks', { url: world.receiver.url(), secret });

export const newOrder = async (world: World, given: Record<string, unknown> = {}) => bankOrder(own(world).wallet, given);
