import { createClient, linkMessage, paymentMessage } from 'mintrail-client';
import { accessToken, completeSignIn, signIn } from './session.js';
import { api, chain } from './settings.js';
import { connectWallet, signText } from './wallet.js';

const mintrail = createClient({ baseUrl: api, accessToken });
const element = (id) => document.getElementById(id);

await attempt(async () => {
  if (!(await completeSignIn())) return show('sign-in');
  const { name } = await mintrail.get('/auth/context');
  element('user').textContent = name;
  show('account');
  await Promise.all([showBalances(), showOrders()]);
  void attempt(followOrders);
});

element('sign-in').addEventListener('click', () => void attempt(signIn));
element('link').addEventListener('click', () => void attempt(link));
element('pay').addEventListener('submit', (event) => {
  event.preventDefault();
  void attempt(() => pay(Object.fromEntries(new FormData(event.target))));
});

/** Proves by a signature that the wallet's address is the user's. */
async function link() {
  const address = await connectWallet();
  await mintrail.post('/addresses', { body: { address, chain, signature: await signText(linkMessage, address) } });
  say(`${address} is linked.`);
  await showBalances();
}

/** Orders a payment to a bank account, which the wallet signs. */
async function pay({ amount, iban, name, country }) {
  const address = await connectWallet();
  const identifier = { standard: 'iban', iban };
  const message = paymentMessage({ currency: 'eur', amount, to: identifier });
  const body = {
    kind: 'redeem',
    address,
    chain,
    currency: 'eur',
    amount,
    counterpart: { identifier, details: { name, country } },
    message,
    signature: await signText(message, address),
  };
  // Under one key the payment is made once, however often the request has to be repeated.
  await mintrail.post('/orders', { body, idempotencyKey: crypto.randomUUID() });
  say(`The payment of ${amount} euros is placed.`);
}

/** Keeps the lists up to date. Reconnects by itself and misses no event. */
async function followOrders() {
  for await (const event of mintrail.orderEvents()) {
    say(`An order of ${event.data.amount} is ${event.data.state}.`);
    await Promise.all([showBalances(), showOrders()]);
  }
}

async function showBalances() {
  const { addresses } = await mintrail.get('/addresses', { query: { chain } });
  const balances = addresses.map(({ address }) => mintrail.get('/balances/{chain}/{address}', { path: { chain, address } }));
  fill(
    'balances',
    (await Promise.all(balances)).map((balance) => `${balance.address}: ${balance.balances[0].amount} EUR`),
  );
}

async function showOrders() {
  const { orders } = await mintrail.get('/orders', { query: { limit: 20 } });
  fill(
    'orders',
    orders.map(({ kind, amount, currency, state }) => `${kind} ${amount} ${currency.toUpperCase()}: ${state}`),
  );
}

function fill(id, lines) {
  // Text, never HTML: names and memos are written by others.
  element(id).replaceChildren(...lines.map((line) => Object.assign(document.createElement('li'), { textContent: line })));
}

function show(id) {
  element(id).hidden = false;
}

function say(text) {
  element('message').textContent = text;
}

/** Shows what went wrong, with the fields that the API names. */
async function attempt(work) {
  try {
    await work();
  } catch (error) {
    say([error.message, ...Object.entries(error.errors ?? {}).map(([field, text]) => `${field} ${text}`)].join('; '));
  }
}
