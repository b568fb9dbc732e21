// A treasury with a private application. It needs API, ID, SECRET, and KEY of a wallet that holds tokens.
// #region client
import { createClient, linkMessage, paymentMessage } from 'mintrail/client';
import { privateKeyToAccount } from 'viem/accounts';

const { API = '', ID = '', SECRET = '', KEY = '' } = process.env;
const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET });
const wallet = privateKeyToAccount(KEY as `0x${string}`);
const account = { address: wallet.address, chain: 'chiado' } as const;
// #endregion

// #region link
await mintrail.post('/addresses', { body: { ...account, signature: await wallet.signMessage({ message: linkMessage }) } });
// #endregion

// #region iban
await mintrail.request('post', '/ibans', { body: account, idempotencyKey: `iban-of-${wallet.address}` });
// #endregion

// #region pay
const identifier = { standard: 'iban', iban: 'DE89 3704 0044 0532 0130 00' } as const;
const payment = { ...account, kind: 'redeem', currency: 'eur', amount: '10.50' } as const;
const message = paymentMessage({ ...payment, to: identifier });
const order = await mintrail.post('/orders', {
  // Kept beside your own record before it is sent: the same id is the same order, however often the request is repeated.
  idempotencyKey: crypto.randomUUID(),
  body: {
    ...payment,
    counterpart: { identifier, details: { name: 'Max Mustermann', country: 'DE' } },
    memo: 'Invoice 2026-118',
    message,
    signature: await wallet.signMessage({ message }),
  },
});
// #endregion

// #region follow
for await (const { id, amount, state } of mintrail.pages('/orders', { query: { state: ['placed', 'pending'] } }))
  console.log(id, amount, state);
// #endregion
console.log('done', 'id' in order ? order.state : order.status);
