import { sandboxPayees } from '../../bank/sandbox-rail.ts';
import { type Chain, linkMessage, paymentMessage, type Schemas } from '../../client/index.ts';
import { accountOf, type Actors, compareBalance, followOrder, waitFor } from './actors.ts';
import { openSafe, type SafeWallet } from './safe-wallet.ts';

const payee = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };

/** Protocol-kit knows Safe's contracts on sepolia, and not on chiado. */
const safeChain = 'sepolia';

interface Redemption {
  address: string;
  chain: Chain;
  amount: string;
  to: Schemas['CounterpartRequest']['identifier'];
  /** How the holder signs the message. */
  sign: (message: string) => Promise<string>;
}

/** The way out: from a key and from a Safe, to a bank account and to another chain, and back when the bank refuses. */
export async function tellRedeemStory(actors: Actors, iban: string): Promise<void> {
  const { narrator } = actors;
  const account = accountOf(actors, 0);
  const own = { address: account.address, chain: 'chiado' as const, sign: (message: string) => account.signMessage({ message }) };

  narrator.step('The customer signs a payment of 20 euro: the tokens are burnt, and the bank pays');
  await redeem(actors, { ...own, amount: '20.00', to: toBank(payee.iban) });
  await compareBalance(actors, 'chiado', account.address, 'eur');

  narrator.step('The same to another chain: burnt here, minted there');
  await redeem(actors, { ...own, amount: '15.00', to: { standard: 'chain', address: account.address, chain: 'sepolia' } });
  await compareBalance(actors, 'sepolia', account.address, 'eur');

  narrator.step('The bank refuses a payment: the tokens come back');
  await redeem(actors, { ...own, amount: '5.00', to: toBank(sandboxPayees.refused) });
  await compareBalance(actors, 'chiado', account.address, 'eur');

  narrator.step('A Safe of two out of three owners is linked, by their signatures off chain, and gets tokens');
  const safe = await openSafe(actors.file, safeChain, actors.file.accounts.slice(1, 4));
  await link(actors, safe);
  const { order } = await actors.client.post('/sandbox/credits', {
    body: { iban, amount: '60.00', currency: 'eur', payer: payee, remittance: `${safeChain}:${safe.address}` },
  });
  await followOrder(actors, order?.id as string);

  narrator.step('The Safe pays by the signatures of two owners, off chain');
  await redeem(actors, {
    address: safe.address,
    chain: safeChain,
    amount: '20.00',
    to: toBank(payee.iban),
    sign: (message) => safe.sign(message),
  });

  narrator.step('The Safe pays by signing on chain: the order is accepted at once, and goes when the chain shows the signature');
  await redeem(
    actors,
    { address: safe.address, chain: safeChain, amount: '10.00', to: toBank(payee.iban), sign: () => Promise.resolve('0x') },
    safe,
  );
  await compareBalance(actors, safeChain, safe.address, 'eur');
}

function toBank(iban: string): Redemption['to'] {
  return { standard: 'iban', iban };
}

async function redeem(actors: Actors, { address, chain, amount, to, sign }: Redemption, approver?: SafeWallet): Promise<void> {
  const { client, narrator } = actors;
  const message = paymentMessage({ currency: 'eur', amount, to });
  narrator.fact('message', message);
  const details = to.standard === 'iban' ? { name: payee.name, country: 'IS' } : {};
  const id = crypto.randomUUID();
  const counterpart = { identifier: to, details };
  const { status } = await client.request('post', '/orders', {
    body: { id, kind: 'redeem', address, chain, currency: 'eur', amount, counterpart, message, signature: await sign(message) },
  });
  narrator.fact('answer', status === 200 ? '200: the signature is valid' : `${status}: waiting for the signature`);
  if (approver) {
    const { total } = await client.get('/signatures');
    narrator.fact('signatures', `${total} pending`);
    narrator.fact('approval', await approver.approve(message));
  }
  await followOrder(actors, id);
}

async function link({ client, narrator }: Actors, safe: SafeWallet): Promise<void> {
  const signature = await safe.sign(linkMessage);
  await client.post('/addresses', { body: { address: safe.address, chain: safeChain, message: linkMessage, signature } });
  await waitFor('the link of the Safe', async () => {
    const { addresses } = await client.get('/addresses', { query: { chain: safeChain } });
    return addresses.some(({ address }) => address === safe.address) || undefined;
  });
  narrator.fact('address', `${safe.address} is linked on ${safeChain}`);
}
