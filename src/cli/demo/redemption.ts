import { sandboxPayees } from '../../bank/sandbox-rail.ts';
import { type Chain, linkMessage, paymentMessage, type Schemas } from '../../client/index.ts';
import { accountOf, type DemoContext, compareBalance, followOrder, waitFor } from './shared-steps.ts';
import { openSafe, type SafeWallet } from './safe-wallet.ts';

const payee = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** Safe's protocol-kit supports sepolia, but not chiado. */
const safeChain = 'sepolia';

interface Redemption {
  address: string;
  chain: Chain;
  amount: string;
  to: Schemas['CounterpartRequest']['identifier'];
  /** How the holder signs the message. */
  sign: (message: string) => Promise<string>;
}

/** Redemption: by a key and by a Safe, to a bank account and to another chain, and a payout that the bank refuses. */
export async function demonstrateRedemption(context: DemoContext, iban: string): Promise<void> {
  const { printer } = context;
  const account = accountOf(context, 0);
  const own = { address: account.address, chain: 'chiado' as const, sign: (message: string) => account.signMessage({ message }) };

  printer.step('The customer signs a payment of 20 euro: the tokens are burned, and the bank pays');
  await redeem(context, { ...own, amount: '20.00', to: toBank(payee.iban) });
  await compareBalance(context, 'chiado', account.address, 'eur');

  printer.step('The customer pays to another chain: tokens are burned here and minted there');
  await redeem(context, { ...own, amount: '15.00', to: { standard: 'chain', address: account.address, chain: 'sepolia' } });
  await compareBalance(context, 'sepolia', account.address, 'eur');

  printer.step('The bank refuses a payout: the tokens are given back');
  await redeem(context, { ...own, amount: '5.00', to: toBank(sandboxPayees.refused) });
  await compareBalance(context, 'chiado', account.address, 'eur');

  printer.step('A Safe with two of three owners is linked by their signatures off chain, and receives tokens');
  const safe = await openSafe(context.file, safeChain, context.file.accounts.slice(1, 4));
  await link(context, safe);
  const { order } = await context.client.post('/sandbox/credits', {
    body: { iban, amount: '60.00', currency: 'eur', payer: payee, remittance: `${safeChain}:${safe.address}` },
  });
  await followOrder(context, order?.id as string);

  printer.step('The Safe pays: two owners sign off chain');
  await redeem(context, {
    address: safe.address,
    chain: safeChain,
    amount: '20.00',
    to: toBank(payee.iban),
    sign: (message) => safe.sign(message),
  });

  printer.step('The Safe pays by signing on chain: the order is placed at once and waits until the Safe has signed on chain');
  await redeem(
    context,
    { address: safe.address, chain: safeChain, amount: '10.00', to: toBank(payee.iban), sign: () => Promise.resolve('0x') },
    safe,
  );
  await compareBalance(context, safeChain, safe.address, 'eur');
}

function toBank(iban: string): Redemption['to'] {
  return { standard: 'iban', iban };
}

async function redeem(context: DemoContext, { address, chain, amount, to, sign }: Redemption, approver?: SafeWallet): Promise<void> {
  const { client, printer } = context;
  const message = paymentMessage({ currency: 'eur', amount, to });
  printer.fact('message', message);
  const details = to.standard === 'iban' ? { name: payee.name, country: 'IS' } : {};
  const id = crypto.randomUUID();
  const counterpart = { identifier: to, details };
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
}

async function link({ client, printer }: DemoContext, safe: SafeWallet): Promise<void> {
  const signature = await safe.sign(linkMessage);
  await client.post('/addresses', { body: { address: safe.address, chain: safeChain, message: linkMessage, signature } });
  await waitFor('The link of the Safe', async () => {
    const { addresses } = await client.get('/addresses', { query: { chain: safeChain } });
    return addresses.some(({ address }) => address === safe.address) || undefined;
  });
  printer.fact('address', `${safe.address} is linked on ${safeChain}`);
}
