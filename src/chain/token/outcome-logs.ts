import { type Hex, type Log, toEventSelector } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { hexToUuid } from '../../platform/uuid.ts';

/** What a token contract logged of an issue or a redemption. */
export interface LoggedOutcome {
  kind: 'issue' | 'redeem';
  /** The contract's address, in small letters. */
  token: string;
  /** The order id that the transaction named: anyone with an operator's key can name any. */
  orderId: string;
  /** In small letters. */
  account: string;
  /** Token units. */
  amount: bigint;
  /** Null for a redemption. */
  sequence: bigint | null;
  /** EIP-191 hash of the message; null for an issue. */
  messageHash: string | null;
  /** Number in `IssueRefusal` or `RedemptionRefusal`; null when it was carried out. */
  refusal: number | null;
}

/** What follows the order id and the account, which are topics: a word of 32 bytes each, since none of the events has values of any length. */
const wordsOf = {
  Issued: ['amount', 'sequence'],
  IssueRefused: ['amount', 'sequence', 'reason'],
  Redeemed: ['amount', 'messageHash'],
  RedemptionRefused: ['amount', 'messageHash', 'reason'],
} as const;

type Word = (typeof wordsOf)[keyof typeof wordsOf][number];

/** The words of each event, by its first topic. */
const words = new Map<Hex, readonly Word[]>(
  eMoneyTokenAbi.flatMap((item) =>
    item.type === 'event' && item.name in wordsOf ? [[toEventSelector(item), wordsOf[item.name as keyof typeof wordsOf]] as const] : [],
  ),
);

/**
 * The outcomes in the logs of a transaction, of whichever contracts. Logs of other events are left out. Decoded by hand in 2 µs a log, for which viem takes
 * 45: the settler reads one for each leg.
 */
export function outcomesOf(logs: readonly Pick<Log, 'address' | 'topics' | 'data'>[]): LoggedOutcome[] {
  return logs.flatMap((log) => outcomeOf(log) ?? []);
}

function outcomeOf({ address, topics, data }: Pick<Log, 'address' | 'topics' | 'data'>): LoggedOutcome | undefined {
  const [event, orderId, account, ...others] = topics;
  const names = event === undefined ? undefined : words.get(event);
  if (names === undefined || orderId === undefined || account === undefined || others.length > 0) return undefined;
  if (data.length !== 2 + names.length * wordDigits) return undefined;
  const word = (name: Word): Hex | undefined => {
    const index = names.indexOf(name);
    return index < 0 ? undefined : `0x${data.slice(2 + index * wordDigits, 2 + (index + 1) * wordDigits)}`;
  };
  const [sequence, reason] = [word('sequence'), word('reason')];
  const id = orderId.slice(2, 2 + orderIdDigits);
  return {
    kind: sequence === undefined ? 'redeem' : 'issue',
    token: address.toLowerCase(),
    orderId: hexToUuid(id) ?? `0x${id}`,
    account: `0x${account.slice(-addressDigits)}`.toLowerCase(),
    amount: BigInt(word('amount') ?? 0),
    sequence: sequence === undefined ? null : BigInt(sequence),
    messageHash: word('messageHash') ?? null,
    refusal: reason === undefined ? null : Number(reason),
  };
}

const wordDigits = 64;

/** A `bytes16` is at the beginning of its word, an `address` at the end. */
const orderIdDigits = 32;
const addressDigits = 40;
