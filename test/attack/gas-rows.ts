import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Address, formatEther, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { paymentMessage } from '../../client/messages.ts';
import { coinsToWei } from '../../src/chain/fee-policy.ts';
import { createApplication } from '../../src/ledger/access/applications/create-application.ts';
import { recordCredits } from '../../src/ledger/bank/credits.ts';
import { addGasSpending } from '../../src/ledger/lanes/gas-spending.ts';
import { releaseDust } from '../../src/ledger/lanes/held-legs.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import { minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { networkSettings } from '../../src/platform/settings.ts';
import { creditOptions } from '../../src/statements/credit-options.ts';
import { deployWallet } from '../support/chain/wallets.ts';
import { creditTo, issueCredits } from '../support/credits.ts';
import { createCustomer, newCustomer, type TestCustomer } from '../support/customer.ts';
import { until } from '../support/until.ts';
import type { Answer } from './sender.ts';
import type { Attack, Row } from './row.ts';
import { type AttackedNetwork, clientToken } from './targets.ts';

const chain = 'chiado';
/** Between two credits of a cent, where somebody by hand has the time. */
const secondsApart = Number(process.env['SECONDS_APART'] ?? 0);

const payeeIban = 'DE89370400440532013000';

/** What somebody sends so that the operator pays for gas. They need a network. */
export const gasRows: readonly Row[] = [
  {
    name: 'credits of a cent, one by one, as a bank reports them in production mode',
    needs: 'network',
    times: { long: 1_000 },
    bound: { processorMs: 50, megabytes: 500 },
    async run({ target, api, gasSpent }, times) {
      const { ledger } = target;
      const network = networkOf(target);
      const [stranger, honest] = [await createCustomer(ledger, chain), await createCustomer(ledger, chain)];
      const options = { ...creditOptions({ ...network.settings, environment: 'production' }), source: 'attack' };
      for (let number = 0; number < times; number += 1) {
        await recordCredits(ledger, [creditTo(stranger.iban, 1n)], options);
        api.requests += 1;
        await delay(secondsApart * 1_000);
      }
      await recordCredits(ledger, [creditTo(honest.iban, 100n)], options);
      await untilBalance(network, honest.address, 100n);
      // As when their hour is over.
      while ((await releaseDust(ledger, chain, ['eur'], 500)) > 0);
      await untilBalance(network, stranger.address, BigInt(times));
      const { transactions } = await gasSpent();
      // A transaction has 165 orders at most, and each of the two lanes may begin with a part of what is due.
      const most = 2 * Math.ceil(times / 100) + 2;
      return transactions <= most ? [] : [`they were issued in ${transactions} transactions, more than ${most}`];
    },
  },
  {
    name: 'orders that a contract account signs, which needs nearly all the gas of the token, until the budget holds them',
    needs: 'network',
    times: { long: 60 },
    bound: { processorMs: 300, megabytes: 700 },
    async run(attack, times) {
      const { api, target, gasSpent } = attack;
      const { ledger } = target;
      const network = networkOf(target);
      const [dear] = await customersByWallet(attack, ['nearly all gas']);
      const honest = await createCustomer(ledger, chain);
      await issueCredits(ledger, [creditTo(dear.iban, 1_000_00n), creditTo(honest.iban, 10_00n)]);
      await untilBalance(network, dear.address, 1_000_00n);
      await untilBalance(network, honest.address, 10_00n);
      const before = await gasSpent();
      const day = new Date().getUTCDate();
      // What has been spent of the day's budget leaves eight such orders of 600,000 gas at the price of now.
      const left = (await network.rpc.getGasPrice()) * 600_000n * 8n;
      const wei = coinsToWei(networkSettings(network.settings, chain).gasBudget) - left;
      await addGasSpending(chain, { spent: [{ profile: dear.profile, wei }], at: new Date() }, sql`true`).execute(ledger);
      const by = await tokenOf(attack, dear);
      for (let number = 0; number < times; number += 1) await placeOrder(attack, by, dear, number);
      const { status } = await placeOrder(attack, await tokenOf(attack, honest), honest, 0, api.address(1));
      if (status !== 200) return [`the honest order was answered ${status}`];
      await until('the honest order is burnt', async () => (await burnt(attack, honest)) === 1 || undefined);
      const held = await until('all orders are burnt or held', async () => {
        const legs = await legsOf(attack, dear);
        const waiting = legs.filter(({ heldFor }) => heldFor === 'gas_budget').length;
        return legs.length === times && waiting + (await burnt(attack, dear)) === times ? waiting : undefined;
      });
      const cost = (await gasSpent()).wei - before.wei;
      const isSameDay = day === new Date().getUTCDate();
      return [
        // At midnight the budget begins anew.
        ...(held === 0 && isSameDay ? ['none was held'] : []),
        ...(cost > 3n * left && isSameDay ? [`they cost ${formatEther(cost)}, where the budget had ${formatEther(left)} left`] : []),
      ];
    },
  },
  {
    name: 'orders of accounts that need more gas than the token allows, or look at its price',
    needs: 'network',
    times: { long: 100 },
    bound: { processorMs: 200, megabytes: 500 },
    async run(attack, times) {
      const { target, gasSpent } = attack;
      const network = networkOf(target);
      const accounts = await customersByWallet(attack, ['too much gas', 'price of gas']);
      const tokens = await Promise.all(accounts.map((account) => tokenOf(attack, account)));
      await issueCredits(
        target.ledger,
        accounts.map(({ iban }) => creditTo(iban, 10_00n)),
      );
      for (const { address } of accounts) await untilBalance(network, address, 10_00n);
      const before = await gasSpent();
      const others = new Map<string, number>();
      for (let number = 0; number < times; number += 1) {
        const index = number % accounts.length;
        const { status, text } = await placeOrder(attack, tokens[index] ?? '', accounts[index] as TestCustomer, number);
        const isRefused = status === 400 && text.includes('invalid signature');
        if (!isRefused) others.set(text, status);
      }
      const profiles = accounts.map(({ profile }) => profile);
      // What was answered 202 waits for the verdict.
      await until('every signature has a verdict', async () => {
        const pending = await target.ledger
          .selectFrom('signatureRequests')
          .where('profile', 'in', profiles)
          .where('state', '=', 'pending')
          .select('id')
          .limit(1)
          .executeTakeFirst();
        return pending === undefined || undefined;
      });
      const transactions = (await gasSpent()).transactions - before.transactions;
      return [
        ...[...others].flatMap(([text, status]) => (status === 202 ? [] : [`an order was answered ${status}: ${text}`])),
        ...(transactions === 0 ? [] : [`the operator paid for ${transactions} transactions`]),
      ];
    },
  },
];

function networkOf({ network }: Attack['target']): AttackedNetwork {
  if (network === undefined) throw new Error('The target has no network');
  return network;
}

type Wallet = 'nearly all gas' | 'too much gas' | 'price of gas';

/** Approved customers whose accounts are contracts, linked as from before these became what they are. */
async function customersByWallet<const Names extends readonly Wallet[]>(
  { target }: Attack,
  names: Names,
): Promise<{ [Index in keyof Names]: TestCustomer }> {
  const { rpc, token } = networkOf(target);
  const allowed = await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'signatureGas' });
  const deployments: Record<Wallet, () => Promise<Address>> = {
    'nearly all gas': () => deployWallet(rpc, 'ThoroughWallet', allowed - 15_000n),
    'too much gas': () => deployWallet(rpc, 'ThoroughWallet', allowed + 1n),
    'price of gas': () => deployWallet(rpc, 'BurningWallet'),
  };
  const customers: TestCustomer[] = [];
  for (const name of names) {
    const address = lowerAddress(await deployments[name]());
    customers.push(await createCustomer(target.ledger, chain, { ...newCustomer(), address }));
  }
  return customers as { [Index in keyof Names]: TestCustomer };
}

/** The header of an application that acts for the customer. */
async function tokenOf({ target }: Attack, { user }: TestCustomer): Promise<string> {
  const { id, secret } = await createApplication(target.ledger, { kind: 'private', name: 'Shop', owner: user });
  return `Bearer ${await clientToken(target.apiUrl, id, secret)}`;
}

/** Sends an order to pay out one euro, and so many cents that it is no other. It is signed by the customer's key, which a contract does not look at. */
async function placeOrder({ api }: Attack, authorization: string, customer: TestCustomer, cents: number, from?: string): Promise<Answer> {
  const amount = `1.${String(cents).padStart(2, '0')}`;
  const message = paymentMessage({ currency: 'eur', amount, to: { iban: payeeIban } });
  const signature: Hex = await privateKeyToAccount(customer.privateKey).signMessage({ message });
  const counterpart = { identifier: { standard: 'iban', iban: payeeIban }, details: { name: 'Jane', country: 'DE' } };
  const order = { kind: 'redeem', address: customer.address, chain, currency: 'eur', amount, counterpart, message, signature };
  return api.send({
    method: 'POST',
    path: '/orders',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(order),
    ...(from === undefined ? {} : { from }),
  });
}

const legsOf = ({ target }: Attack, { profile }: TestCustomer) =>
  target.ledger
    .selectFrom('legs')
    .innerJoin('orders', 'orders.id', 'legs.orderId')
    .where('orders.profile', '=', profile)
    .where('legs.kind', '=', 'redeem')
    .select(['legs.state', 'legs.heldFor'])
    .execute();

const burnt = async (attack: Attack, customer: TestCustomer) =>
  (await legsOf(attack, customer)).filter(({ state }) => state === 'done').length;

async function untilBalance({ rpc, token }: AttackedNetwork, account: Address, cents: bigint): Promise<void> {
  await until(`${account} has ${cents} cents`, async () => {
    const balance = await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'balanceOf', args: [account] });
    return balance === toTokenUnits(minorUnits(cents)) || undefined;
  });
}
