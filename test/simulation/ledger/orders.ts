import { hashMessage, type Hex } from 'viem';
import { signDigest } from '../../../src/chain/signatures/ecdsa.ts';
import { recordCredits } from '../../../src/ledger/bank/credits.ts';
import { inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { insertRedemption } from '../../../src/ledger/orders/placement/insert-redemptions.ts';
import { formatAmount, minorUnits } from '../../../src/platform/money.ts';
import { hexToBytes } from 'viem';
import type { Random } from '../random.ts';
import { tokenAddress } from '../node/token-address.ts';
import { type Customer, customers } from './customers.ts';

/** An order that a customer has placed. */
export interface PlacedOrder {
  /** Undefined for a credit, whose order gets its id from the database. */
  id: string | undefined;
  kind: 'issue' | 'redeem';
  customer: Customer;
  /** Minor units. */
  amount: bigint;
  /** Whether a refused credit has an account to go back to. */
  isPayerKnown: boolean;
  message: string;
  signature: Hex;
  /**
   * How it has to end: an honest order is processed, unless the bank refuses its payout. What a hostile account or a wrong message gives may end
   * either way, but must end.
   */
  mustEnd: 'processed' | 'either way';
}

/** What an order is placed with. */
export interface OrderDesk {
  ledger: Ledger;
  random: Random;
  /** Milliseconds since 1970. */
  now: number;
}

/** The kinds of accounts whose signatures are valid on chain; undefined is a key. */
export const redeemsSoundly = new Set<Customer['contract']>([undefined, 'approves', 'thorough', 'burnsAndApproves']);
const dayMs = 86_400_000;

/** Places one order of a random customer. */
export async function placeOrder(options: OrderDesk, number: number): Promise<PlacedOrder> {
  return options.random.chance('redeem', 0.5) ? placeRedeem(options, number) : placeIssue(options, number);
}

async function placeIssue({ ledger, random }: OrderDesk, number: number): Promise<PlacedOrder> {
  const customer = random.pick('customer', customers);
  const amount = BigInt(random.integer('amount', 1, 50_000));
  const isPayerKnown = random.chance('payer known', 0.8);
  const payer = isPayerKnown ? { name: 'Jón', iban: 'IS140159260076545510730339' } : { name: 'Jón' };
  const credit = {
    reference: `credit ${number}`,
    bankAccount: 'sandbox',
    iban: customer.iban,
    currency: 'eur',
    amount: minorUnits(amount),
    payer,
  };
  await recordCredits(ledger, [credit], { source: 'simulation', defaultMemo: 'memo', tokens: ['chiado:eur'] });
  return { id: undefined, kind: 'issue', customer, amount, isPayerKnown, message: '', signature: '0x', mustEnd: 'processed' };
}

async function placeRedeem({ ledger, random, now }: OrderDesk, number: number): Promise<PlacedOrder> {
  const customer = random.pick(
    'customer',
    customers.filter(({ account }) => account !== tokenAddress),
  );
  // Each account holds 100,000.00 from the beginning.
  const isTooMuch = random.chance('too much', 0.04);
  const amount = isTooMuch ? 99_000_000n : BigInt(random.integer('amount', 1, 50_000));
  const isOld = random.chance('old', 0.04);
  const time = new Date(now - number * 1_000 - (isOld ? 30 * dayMs : 0)).toISOString();
  const message = `Send EUR ${formatAmount(minorUnits(amount))} to IS140159260076545510730339 at ${time}`;
  const isMisSigned = random.chance('signature of another message', 0.04);
  const signature = signatureOf(customer, isMisSigned ? `${message}!` : message);
  const id = `20000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const placed = await inTransaction(ledger, (tx) =>
    insertRedemption(
      tx,
      {
        id,
        profile: customer.profile,
        address: customer.account,
        chain: 'chiado',
        currency: 'eur',
        amount: String(amount),
        counterpart: { identifier: { standard: 'iban', iban: 'IS140159260076545510730339' }, details: { name: 'Jón', country: 'IS' } },
        memo: 'memo',
        referenceNumber: null,
        message,
        digest: hashMessage(message),
        signature,
        supportingDocument: null,
        requestHash: '00'.repeat(32),
        correlationId: null,
      },
      customer.contract ? 'by contract' : 'by key',
    ),
  );
  if (!placed) throw new Error(`order ${id} was not placed`);
  const isSound = redeemsSoundly.has(customer.contract) && !isTooMuch && !isOld && !(isMisSigned && !customer.contract);
  return { id, kind: 'redeem', customer, amount, isPayerKnown: false, message, signature, mustEnd: isSound ? 'processed' : 'either way' };
}

function signatureOf({ privateKey }: Customer, message: string): Hex {
  if (!privateKey) return '0x1234';
  const { r, s, yParity } = signDigest(hashMessage(message), hexToBytes(privateKey));
  return `${r}${s.slice(2)}${yParity === 0 ? '1b' : '1c'}`;
}
