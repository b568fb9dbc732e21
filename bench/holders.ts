import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { hashMessage, type Hex, hexToBytes } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { curve } from '../src/chain/secp256k1.ts';
import { type Client, createClient, linkMessage, paymentMessage } from '../client/index.ts';
import { submitPerson } from '../test/scenarios/customers.ts';
import { allProcessed } from './orders.ts';
import { benchChain, type BenchSandbox } from './sandbox.ts';

/** A customer who holds tokens and orders payments. */
export interface Holder {
  address: string;
  key: Uint8Array;
}

/** Each is a profile of its own. */
const holderCount = 32;

/** The API turns down more uploads at once. */
const atOnce = 4;

/** Covers every redemption of a run many times. */
const amount = '50000.00';

const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const payeeIban = 'DE89370400440532013000';
const pollMs = 200;

const holdersBySandbox = new WeakMap<BenchSandbox, Promise<Holder[]>>();

/** Customers of the sandbox's partner with money, who are made for the first part that needs them. */
export function holdersOf(sandbox: BenchSandbox): Promise<Holder[]> {
  const known = holdersBySandbox.get(sandbox) ?? createHolders(sandbox);
  holdersBySandbox.set(sandbox, known);
  return known;
}

async function createHolders({ file, pool }: BenchSandbox): Promise<Holder[]> {
  const partner = createClient({ baseUrl: file.apiUrl, ...file.applications.whitelabel, timeout: 120_000 });
  const holders: Holder[] = [];
  while (holders.length < holderCount) holders.push(...(await Promise.all(Array.from({ length: atOnce }, () => createHolder(partner)))));
  await allProcessed(pool);
  return holders;
}

/** Onboards a customer and pays money in. */
async function createHolder(partner: Client): Promise<Holder> {
  const profile = await submitPerson(partner, 'Karlsson');
  while ((await partner.get('/profiles/{profile}', { path: { profile } })).state !== 'approved') await delay(pollMs);
  const privateKey = generatePrivateKey();
  const { address, signMessage } = privateKeyToAccount(privateKey);
  const link = { profile, address, chain: benchChain, message: linkMessage } as const;
  await partner.post('/addresses', { body: { ...link, signature: await signMessage({ message: linkMessage }) } });
  await partner.post('/ibans', { body: { address, chain: benchChain } });
  for (;;) {
    const { ibans } = await partner.get('/ibans', { query: { profile } });
    const iban = ibans.find(({ state }) => state === 'approved')?.iban;
    if (iban !== undefined) {
      await partner.post('/sandbox/credits', { body: { iban, amount, currency: 'eur', payer, reference: randomUUID() } });
      return { address, key: hexToBytes(privateKey) };
    }
    await delay(pollMs);
  }
}

/** When the next message is signed: messages of a run have times of their own, in the future, which the service accepts. */
let nextTime = Date.now() + 60_000;

/** Bodies of `POST /orders` that redeem one euro each, signed beforehand, from one holder after the other. */
export function signedRedemptions(holders: readonly Holder[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const { address, key } = holders[index % holders.length] as Holder;
    const message = paymentMessage({ currency: 'eur', amount: '1.00', to: { iban: payeeIban }, at: new Date(nextTime++) });
    return JSON.stringify({
      kind: 'redeem',
      address,
      chain: benchChain,
      currency: 'eur',
      amount: '1.00',
      counterpart: {
        identifier: { standard: 'iban', iban: payeeIban },
        details: { name: 'Max Mustermann', country: 'DE' },
      },
      message,
      signature: sign(message, key),
    });
  });
}

/** As viem signs, thirty times as fast. */
function sign(message: string, key: Uint8Array): Hex {
  const { signature, recid } = curve.ecdsaSign(hexToBytes(hashMessage(message)), key);
  return `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`;
}
