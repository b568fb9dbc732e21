// The owners of a Safe link it and pay from it, signing on chain. It needs API, ID, SECRET, and SAFE, the address of the Safe.
// #region link
import { createClient, linkMessageFor, paymentMessage } from 'mintrail-client';

const { API = '', ID = '', SECRET = '', SAFE = '' } = process.env;
const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET });
const account = { address: SAFE, chain: 'chiado' } as const;

const { defaultProfile: profile = '' } = await mintrail.get('/auth/context');
const linkMessage = linkMessageFor({ ...account, baseUrl: API, profile });

// `0x` asks whether the Safe has signed on chain: 202 until it has, then 201. Keep the message: it is the same in each request.
const link = await mintrail.request('post', '/addresses', { body: { ...account, message: linkMessage, signature: '0x' } });
if (link.status === 202) console.log('The owners sign on chain:', linkMessage);
// #endregion

// #region pay
const identifier = { standard: 'iban', iban: 'DE89 3704 0044 0532 0130 00' } as const;
const payment = { ...account, kind: 'redeem', currency: 'eur', amount: '100.00' } as const;
const message = paymentMessage({ ...payment, to: identifier });
const counterpart = { identifier, details: { companyName: 'Muster GmbH', country: 'DE' } };
// Keep the request beside your own record before you send it: the same id with the same body is the same order, however often it is sent.
await mintrail.post('/orders', { body: { ...payment, id: crypto.randomUUID(), counterpart, message, signature: '0x' } });
console.log('The owners sign on chain:', message);
// #endregion

// #region pending
const { pending } = await mintrail.get('/signatures', { query: { address: SAFE } });
for (const { kind, amount, createdAt } of pending) console.log('waits for the owners:', kind, amount, createdAt);
// #endregion
