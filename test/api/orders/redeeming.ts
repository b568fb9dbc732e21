import { getAddress } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { paymentMessage } from '../../../client/index.ts';
import { createWallet, type Partner, type TestApi } from '../support/test-api.ts';

export const payeeIban = 'DE89370400440532013000';
export const payee = { firstName: 'Max', lastName: 'Mustermann', country: 'DE' };

/** A body of `POST /orders`, for a test to change. */
export interface OrderBody {
  [field: string]: unknown;
  message: string;
  signature: string;
}

interface Amount {
  amount?: string;
  message?: string;
}

/** A partner whose wallet is linked on chiado and holds `funds` EURe. */
export async function redeemer(api: TestApi, funds = 100_000n) {
  const caller = await api.partner();
  const wallet = await caller.link();
  api.fund(wallet.address, funds);
  return { ...caller, wallet, order: (given: Amount & Record<string, unknown> = {}) => bankOrder(wallet, given) };
}

export type Redeemer = Awaited<ReturnType<typeof redeemer>>;

/** A partner whose contract account is linked on chiado and holds 1,000 EURe; `account` is what it says of signatures. */
export async function contractRedeemer(api: TestApi) {
  const caller: Partner = await api.partner();
  const { address } = createWallet();
  const account: { says: (signature: string) => 'valid' | 'invalid' | 'unavailable' } = { says: () => 'valid' };
  api.accounts.deploy(address, (signature) => account.says(signature));
  await caller.post('/addresses', { address, chain: 'chiado', signature: '0x5afe' });
  api.fund(address, 1_000n);
  const order = (given: Record<string, unknown> = {}): OrderBody => ({
    ...bankBody(address, '10'),
    signature: `0x${'5afe'.repeat(65)}`,
    ...given,
  });
  return { ...caller, address, account, order };
}

/** A valid order to a bank account; fields that are given replace it, also in the signed message. */
export async function bankOrder(wallet: PrivateKeyAccount, given: Amount & Record<string, unknown> = {}): Promise<OrderBody> {
  const body = { ...bankBody(wallet.address, given.amount ?? '10.50'), ...given };
  return { ...body, signature: await wallet.signMessage({ message: body.message }), ...given };
}

/** A valid order to an address on another chain. */
export async function chainOrder(wallet: PrivateKeyAccount, to: string, given: Record<string, unknown> = {}): Promise<OrderBody> {
  const identifier = { standard: 'chain', address: getAddress(to), chain: 'basesepolia' };
  const message = paymentMessage({ currency: 'eur', amount: '10.50', to: { address: to, chain: 'basesepolia' } });
  return bankOrder(wallet, { counterpart: { identifier, details: {} }, message, ...given });
}

/** Messages of one moment differ, so that each authorises an order of its own. */
let moments = 0;

function bankBody(address: string, amount: string) {
  moments += 1;
  return {
    kind: 'redeem',
    address,
    chain: 'chiado',
    currency: 'eur',
    amount,
    counterpart: { identifier: { standard: 'iban', iban: payeeIban }, details: payee },
    // Not by the client's builder, which refuses what the tests want to see refused.
    message: `Send EUR ${amount} to ${payeeIban} at ${new Date(Date.now() + moments).toISOString()}`,
  };
}
