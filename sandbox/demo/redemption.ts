import { sandboxPayees } from '../../src/bank/sandbox-rail.ts';
import { type Chain, paymentMessage, type Schemas } from '../../client/index.ts';
import { accountOf, type DemoContext, compareBalance, followOrder, linkingMessage, waitFor } from './shared-steps.ts';
import { openImpersonatedSafe } from './impersonated-safe.ts';
import { openSafe, type SafeWallet } from './safe-wallet.ts';

const payee = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

interface Redemption {
  address: string;
  chain: Chain;
  amount: string;
  to: Schemas['CounterpartRequest']['identifier'];
  /** How the holder signs the message. */
  sign: (message: string) => Promise<string>;
}

/**
 * Redemption: by a key and by a Safe, to a bank account and to another chain, and payouts that the bank refuses or returns. Returns the order whose
 * payout came back.
 */
export async function demonstrateRedemption(context: DemoContext, iban: string, safeAddress: `0x${string}` | undefined): Promise<string> {
  const { printer, chains } = context;
  const { home, other } = chains;
  const account = accountOf(context, 0);
  const own = { address: account.address, chain: home, sign: (message: string) => account.signMessage({ message }) };

  printer.step('The customer signs a payment of 20 euro: the tokens are burned, and the bank pays');
  await redeem(context, { ...own, amount: '20.00', to: toBank(payee.iban) });
  await compareBalance(context, home, account.address, 'eur');

  if (other) {
    printer.step('The customer pays to another chain: tokens are burned here and minted there');
    await redeem(context, { ...own, amount: '15.00', to: { standard: 'chain', address: account.address, chain: other } });
    await compareBalance(context, other, account.address, 'eur');
  }

  printer.step('The bank refuses a payout: the tokens are given back');
  await redeem(context, { ...own, amount: '5.00', to: toBank(sandboxPayees.refused) });
  await compareBalance(context, home, account.address, 'eur');

  printer.step('The bank carries a payout out, and its money comes back: another order gives the tokens back');
  const returned = await redeem(context, { ...own, amount: '6.00', to: toBank(payee.iban) });
  await giveBack(context, returned);
  await compareBalance(context, home, account.address, 'eur');

  await demonstrateSafe(context, iban, safeAddress);
  return returned;
}

/** The sandbox's bank returns the payout of an order, and the order that gives its tokens back is followed to its end. */
async function giveBack(context: DemoContext, id: string): Promise<void> {
  const { client, printer } = context;
  const reason = 'AC04 closed account number';
  const { givenBackBy } = await client.post('/sandbox/payouts/{id}/return', { path: { id }, body: { reason } });
  printer.fact('came back', reason);
  const { meta } = await followOrder(context, givenBackBy as string);
  printer.fact('gives back', meta.givesBack as string);
}

async function demonstrateSafe(context: DemoContext, iban: string, existing: `0x${string}` | undefined): Promise<void> {
  const { file, chains, printer } = context;
  const chain = chains.safe;
  printer.step(
    existing
      ? `The Safe ${existing} of ${chain} is linked by its owners, who are impersonated on the fork, and receives tokens`
      : 'A Safe with two of three owners is linked by their signatures off chain, and receives tokens',
  );
  if (!existing && file.chains[chain]?.fork)
    printer.fact('a new Safe', `npm run demo -- --safe ADDRESS shows one that ${chain} has already`);
  const safe = existing ? await openImpersonatedSafe(file, chain, existing) : await openSafe(file, chain, file.accounts.slice(1, 4));
  await link(context, safe);
  const { order } = await context.client.post('/sandbox/credits', {
    body: { iban, amount: '60.00', currency: 'eur', payer: payee, remittance: `${chain}:${safe.address}` },
  });
  await followOrder(context, order?.id as string);

  const own = { address: safe.address, chain, to: toBank(payee.iban) };
  printer.step('The Safe pays: its owners sign before the order is placed');
  await redeem(context, { ...own, amount: '20.00', sign: (message) => safe.sign(message) });

  printer.step('The Safe pays by signing on chain: the order is placed at once and waits until the Safe has signed on chain');
  await redeem(context, { ...own, amount: '10.00', sign: () => Promise.resolve('0x') }, safe);
  await compareBalance(context, chain, safe.address, 'eur');
}

function toBank(iban: string): Redemption['to'] {
  return { standard: 'iban', iban };
}

/** Places a redemption and follows it to its end. Returns its id. */
async function redeem(context: DemoContext, { address, chain, amount, to, sign }: Redemption, approver?: SafeWallet): Promise<string> {
  const { client, printer } = context;
  const message = paymentMessage({ currency: 'eur', amount, to });
  printer.fact('message', message);
  const id = crypto.randomUUID();
  const counterpart = to.standard === 'iban' ? { identifier: to, details: { name: payee.name, country: 'IS' } } : { identifier: to };
  const { status } = await client.request('post', '/orders', {
    body: { id, kind: 'redeem', address, chain, currency: 'eur', amount, counterpart, message, signature: await sign(message) },
  });
  printer.fact('answer', status === 200 ? '200: the signature is valid' : `${status}: the order waits for the signature`);
  if (approver) {
    const { total } = await client.get('/signatures');
    printer.fact('signatures', `${total} pending`);
    printer.fact('approval', await approver.approve(message));
  }
  await followOrder(context, id);
  return id;
}

async function link(context: DemoContext, safe: SafeWallet): Promise<void> {
  const { client, chains, printer } = context;
  const chain = chains.safe;
  const message = await linkingMessage(context, safe.address, chain);
  const signature = await safe.sign(message);
  await client.post('/addresses', { body: { address: safe.address, chain, message, signature } });
  await waitFor('The link of the Safe', async () => {
    const { addresses } = await client.get('/addresses', { query: { chain } });
    return addresses.some(({ address }) => address === safe.address) || undefined;
  });
  printer.fact('address', `${safe.address} is linked on ${chain}`);
}
