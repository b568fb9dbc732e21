// Pays out what a treasury address holds above a float, once a day. Run it by a timer, as often as you like. It ends with 0 when the day is paid or nothing is to
// be paid, with 75 when a later run may succeed, and with 1 when somebody has to look:
//   API=… CLIENT_ID=… CLIENT_SECRET=… TREASURY_KEY=0x… PAYEE_IBAN=… PAYEE_NAME=… node examples/treasury/pay-daily.ts
import { createHash } from 'node:crypto';
import process from 'node:process';
import { createClient, MintrailApiError, MintrailUnreachableError, paymentMessage } from 'mintrail-client';
import { privateKeyToAccount } from 'viem/accounts';

const { API: baseUrl = '', CLIENT_ID: clientId = '', CLIENT_SECRET: clientSecret = '', FLOAT: float = '50.00' } = process.env;
const { TREASURY_KEY: key = '', PAYEE_IBAN: iban = '', PAYEE_NAME: name = '', PAYEE_COUNTRY: country = 'DE' } = process.env;
const mintrail = createClient({ baseUrl, clientId, clientSecret });
const wallet = privateKeyToAccount(key as `0x${string}`);
const account = { address: wallet.address, chain: 'chiado' } as const;

// The day of UTC on which this run began, also when midnight passes meanwhile. The id of the day's order is made of it: however often this runs, how many run
// at once, and wherever one was cut off, the day is paid once.
const day = new Date().toISOString().slice(0, 10);
const id = uuidOf(`${wallet.address.toLowerCase()} pays ${iban} on ${day}`);

/** Outages, and orders under way that have the balance: a later run may succeed (EX_TEMPFAIL of sysexits). */
const tryLater = 75;

try {
  console.log((await findPayment()) ?? (await pay()));
} catch (error) {
  if (!(error instanceof MintrailApiError || error instanceof MintrailUnreachableError)) throw error;
  const isPassing = error instanceof MintrailUnreachableError || error.status >= 429 || error.reason === 'insufficient_balance';
  console.error(`The payment of ${day} was not placed. ${error.message}${isPassing ? ' The next run tries again.' : ''}`);
  process.exitCode = isPassing ? tryLater : 1;
}

async function findPayment(): Promise<string | undefined> {
  const paid = await mintrail.get('/orders/{orderId}', { path: { orderId: id } }).catch((error: unknown) => {
    // So is an order answered that does not exist: whose it would be is nobody's business. Were it somebody else's, placing it would fail.
    if (error instanceof MintrailApiError && error.status === 403) return undefined;
    throw error;
  });
  return paid && `The payment of ${day} is ${paid.state}: ${paid.amount} EUR.`;
}

async function pay(): Promise<string> {
  // Before the balance: it still has what an earlier payment is about to burn.
  const { orders } = await mintrail.get('/orders', { query: { address: wallet.address, state: ['placed', 'pending'] } });
  if (orders.some(({ kind }) => kind === 'redeem')) return (await findPayment()) ?? waitForEarlier();

  const { balances } = await mintrail.get('/balances/{chain}/{address}', { path: account });
  const held = cents(balances.find(({ currency }) => currency === 'eur')?.amount ?? '0');
  const surplus = held - cents(float);
  if (surplus <= 0n) return `Nothing to pay: ${euros(held)} EUR are held, and ${float} EUR stay.`;

  const identifier = { standard: 'iban', iban } as const;
  const payment = { ...account, kind: 'redeem', currency: 'eur', amount: euros(surplus) } as const;
  const message = paymentMessage({ ...payment, to: identifier });
  const counterpart = { identifier, details: { name, country } };
  const signature = await wallet.signMessage({ message });
  try {
    await mintrail.post('/orders', { body: { ...payment, id, counterpart, memo: `Surplus of ${day}`, message, signature } });
  } catch (error) {
    // Another run may have been faster: then the day is paid, and this order was refused for it.
    const paid = await findPayment();
    if (paid !== undefined) return paid;
    throw error;
  }
  return `Pays ${payment.amount} EUR to ${iban}.`;
}

function waitForEarlier(): string {
  process.exitCode = tryLater;
  return `The payment of ${day} was not placed. An earlier one is under way. The next run tries again.`;
}

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
