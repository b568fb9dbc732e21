// Pays out what a treasury address holds above a float, once a day. Run it by a timer, as often as you like:
//   API=… CLIENT_ID=… CLIENT_SECRET=… TREASURY_KEY=0x… PAYEE_IBAN=… PAYEE_NAME=… node examples/treasury/pay-daily.ts
import { createHash } from 'node:crypto';
import process from 'node:process';
import { createClient, MintrailApiError, paymentMessage } from 'mintrail/client';
import { privateKeyToAccount } from 'viem/accounts';

const { API: baseUrl = '', CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '', FLOAT: float = '50.00' } = process.env;
const { TREASURY_KEY: key = '', PAYEE_IBAN: iban = '', PAYEE_NAME: name = '', PAYEE_COUNTRY: country = 'DE' } = process.env;
const mintrail = createClient({ baseUrl, clientId, clientSecret });
const wallet = privateKeyToAccount(key as `0x${string}`);
const account = { address: wallet.address, chain: 'chiado' } as const;

// The id of the day's order is made of the day: however often this runs, and wherever it was cut off, the day is paid once.
const day = new Date().toISOString().slice(0, 10);
const id = uuidOf(`${wallet.address.toLowerCase()} pays ${iban} on ${day}`);
const paid = await mintrail.get('/orders/{orderId}', { path: { orderId: id } }).catch((error: unknown) => {
  // So is an order answered that does not exist: whose it would be is nobody's business. Were it somebody else's, placing it would fail.
  if (error instanceof MintrailApiError && error.status === 403) return undefined;
  throw error;
});
if (paid) {
  console.log(`The payment of ${day} is ${paid.state}: ${paid.amount} EUR.`);
  process.exit();
}

const { balances } = await mintrail.get('/balances/{chain}/{address}', { path: account });
const held = cents(balances.find(({ currency }) => currency === 'eur')?.amount ?? '0');
const surplus = held - cents(float);
if (surplus <= 0n) {
  console.log(`Nothing to pay: ${euros(held)} EUR are held, and ${float} EUR stay.`);
  process.exit();
}

const identifier = { standard: 'iban', iban } as const;
const payment = { ...account, kind: 'redeem', currency: 'eur', amount: euros(surplus) } as const;
const message = paymentMessage({ ...payment, to: identifier });
const counterpart = { identifier, details: { name, country } };
const signature = await wallet.signMessage({ message });
await mintrail.post('/orders', { body: { ...payment, id, counterpart, memo: `Surplus of ${day}`, message, signature } });
console.log(`Pays ${payment.amount} EUR to ${iban}.`);

/** Amounts are decimal texts in the API and integers in a program, never floating point. */
function cents(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2));
}

function euros(minor: bigint): string {
  return `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
}

/** A UUID that is the same for the same text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
