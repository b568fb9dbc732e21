import { randomBytes, randomUUID } from 'node:crypto';
import { type Address, hashMessage, type Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { eMoneyTokenAbi } from '../../abis/eMoneyToken.ts';
import { encodeIssue } from '../../src/chain/token/calls.ts';
import { tokenRoles } from '../../src/chain/token/roles.ts';
import { inTransaction, type Ledger } from '../../src/ledger/ledger.ts';
import { insertRedemption, type RedemptionDraft, type RedemptionSignature } from '../../src/ledger/orders/placement/insert-redemptions.ts';
import { lowerAddress } from '../../src/platform/addresses.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { type MinorUnits, minorUnits, toTokenUnits } from '../../src/platform/money.ts';
import { execute, fundedAccount, localAccount, type LocalChain, transact } from './chain/local-chain.ts';
import { createCustomer } from './customer.ts';

const payeeIban = 'DE89370400440532013000';

/** Who redeems, and how they sign. */
export interface Redeemer {
  address: Address;
  profile: string;
  sign(message: string): Promise<Hex>;
  signature?: RedemptionSignature;
}

/** A redeemer with a profile and a key of their own. */
export async function createRedeemer(ledger: Ledger): Promise<Redeemer> {
  const { profile } = await createCustomer(ledger, 'chiado');
  const key = localAccount(generatePrivateKey());
  return { address: key.address, profile, sign: (message) => key.signMessage({ message }) };
}

/** No two orders have the same message: each is a millisecond older than the one before. */
const firstAt = Date.now();
let placed = 0;

/** Places a redemption with a real message, as the API does once its signature is valid. Returns the order's id. */
export async function placeTestRedemption(
  ledger: Ledger,
  chain: Chain,
  redeemer: Redeemer,
  amount: MinorUnits = minorUnits(1n),
): Promise<string> {
  const id = randomUUID();
  const at = new Date(firstAt - (placed += 1));
  const decimals = `${amount / 100n}.${String(amount % 100n).padStart(2, '0')}`;
  const message = `Send EUR ${decimals} to ${payeeIban} at ${at.toISOString()}`;
  const { profile, address } = redeemer;
  const draft = draftOf(
    { id, profile, address: lowerAddress(address), chain, amount: amount.toString() },
    message,
    await redeemer.sign(message),
  );
  await inTransaction(ledger, (tx) => insertRedemption(tx, draft, redeemer.signature ?? 'by key'));
  return id;
}

type DraftOwner = Pick<RedemptionDraft, 'profile' | 'address'> & Partial<RedemptionDraft>;

/** A redemption by a signed message, of one euro unless `changes` say otherwise. */
export function draftOf(changes: DraftOwner, message: string, signature: Hex): RedemptionDraft {
  return {
    id: randomUUID(),
    chain: 'chiado',
    currency: 'eur',
    amount: '100',
    counterpart: { identifier: { standard: 'iban', iban: payeeIban }, details: { name: 'Jane', country: 'DE' } },
    memo: 'Rent',
    referenceNumber: null,
    message,
    digest: hashMessage(message),
    signature,
    supportingDocument: null,
    requestHash: randomBytes(32).toString('hex'),
    correlationId: null,
    ...changes,
  };
}

/** A redemption that no key has signed, with a digest of its own, where nobody looks at the signature. */
export function unsignedDraft(changes: DraftOwner): RedemptionDraft {
  const digest = `0x${randomBytes(32).toString('hex')}`;
  return draftOf({ amount: '1250', memo: 'Rent for May', digest, ...changes }, 'a message', '0x');
}

let sequence = 1_000_000n;

/** Gives tokens to accounts by an operator of its own, under sequence numbers that no ledger reaches. */
export async function giveTokens(
  chain: LocalChain,
  token: Address,
  accounts: readonly Address[],
  amount = minorUnits(100_00n),
): Promise<void> {
  const issuer = fundedAccount(8);
  const isOperator = await chain.readContract({
    address: token,
    abi: eMoneyTokenAbi,
    functionName: 'hasRole',
    args: [tokenRoles.OPERATOR_ROLE, issuer.address],
  });
  if (!isOperator) {
    const limit = toTokenUnits(minorUnits(10n ** 12n));
    await execute(chain, token, eMoneyTokenAbi, 'grantRole', [tokenRoles.OPERATOR_ROLE, issuer.address]);
    await execute(chain, token, eMoneyTokenAbi, 'setMintAllowance', [issuer.address, 0n, limit, limit]);
  }
  const items = accounts.map((account) => ({ sequence: sequence++, orderId: randomUUID(), account, amount }));
  await transact(chain, { from: issuer, to: token, data: encodeIssue(items) });
}
