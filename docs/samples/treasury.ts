// A treasury with a private application. It needs API, ID, SECRET, and KEY of a wallet.
// #region client
import { createClient, linkMessageFor, paymentMessage } from 'mintrail-client';
import { privateKeyToAccount } from 'viem/accounts';

const { API = '', ID = '', SECRET = '', KEY = '' } = process.env;
const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET });
const wallet = privateKeyToAccount(KEY as `0x${string}`);
const account = { address: wallet.address, chain: 'chiado' } as const;
// #endregion

// #region link
const { defaultProfile: profile = '' } = await mintrail.get('/auth/context');
const link = linkMessageFor({ ...account, baseUrl: API, profile });
await mintrail.post('/addresses', { body: { ...account, message: link, signature: await wallet.signMessage({ message: link }) } });
// #endregion

// #region iban
// A profile has one IBAN: repeated, the request is answered with 304. The key is of this attempt, which the client repeats when no answer comes.
await mintrail.request('post', '/ibans', { body: account, idempotencyKey: crypto.randomUUID() });
const assigned = async () => (await mintrail.get('/ibans')).ibans.find(({ state }) => state === 'approved')?.iban;
const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
let iban = await assigned();
for (; iban === undefined; iban = await assigned()) await pause();
// #endregion

// #region credit
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
// The IBAN may lead to another address of the profile: this text names the address.
const remittance = `${account.chain}:${account.address}`;
await mintrail.post('/sandbox/credits', { body: { iban, amount: '25.00', currency: 'eur', payer, remittance } });
const balances = async () => (await mintrail.get('/balances/{chain}/{address}', { path: account })).balances;
while ((await balances()).every(({ amount }) => amount === '0.00')) await pause();
// #endregion

// #region pay
const identifier = { standard: 'iban', iban: 'DE89 3704 0044 0532 0130 00' } as const;
const payment = { ...account, kind: 'redeem', currency: 'eur', amount: '10.50' } as const;
const message = paymentMessage({ ...payment, to: identifier });
// Keep the request beside your own record before you send it: the same id with the same body is the same order, however often it is sent.
const request = {
  ...payment,
  id: crypto.randomUUID(),
  counterpart: { identifier, details: { name: 'Max Mustermann', country: 'DE' } },
  memo: 'Invoice 2026-118',
  message,
  signature: await wallet.signMessage({ message }),
};
// The key is of this attempt, which the client repeats when no answer comes.
const order = await mintrail.post('/orders', { body: request, idempotencyKey: crypto.randomUUID() });
// Only what a Safe still has to sign on its chain is answered with 202, and no order.
console.log('id' in order ? order.state : order.status);
// #endregion

// #region follow
for await (const { id, amount, state } of mintrail.pages('/orders', { query: { state: ['placed', 'pending'] } }))
  console.log(id, amount, state);
// #endregion
console.log('done');
