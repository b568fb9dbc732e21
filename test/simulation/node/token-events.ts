import { type Address, concat, type Hex, keccak256, numberToHex, padHex, stringToHex } from 'viem';
import type { TokenState } from './token-model.ts';

/** A log entry of the token. */
export interface TokenEvent {
  address: Address;
  topics: Hex[];
  data: Hex;
}

type Token = Pick<TokenState, 'address'>;

const topic = (signature: string) => keccak256(stringToHex(signature));
const topics = {
  transfer: topic('Transfer(address,address,uint256)'),
  issued: topic('Issued(bytes16,address,uint256,uint64)'),
  issueRefused: topic('IssueRefused(bytes16,address,uint256,uint64,uint8)'),
  redeemed: topic('Redeemed(bytes16,address,uint256,bytes32)'),
  redemptionRefused: topic('RedemptionRefused(bytes16,address,uint256,bytes32,uint8)'),
  messageCancelled: topic('MessageCancelled(address,bytes32)'),
  mintAllowanceSet: topic('MintAllowanceSet(address,uint256,uint256)'),
  paused: topic('Paused(address)'),
  unpaused: topic('Unpaused(address)'),
  blocked: topic('Blocked(address)'),
  unblocked: topic('Unblocked(address)'),
};

/** The token's events as log entries (contracts/src/IEMoneyToken.sol). Amounts are in token units. */
export const tokenEvents = {
  transfer: (token: Token, from: Address, to: Address, amount: bigint) => entry(token, [topics.transfer, left(from), left(to)], [amount]),
  issued: (token: Token, orderId: Hex, account: Address, amount: bigint, sequence: bigint) =>
    entry(token, [topics.issued, right(orderId), left(account)], [amount, sequence]),
  issueRefused: (token: Token, orderId: Hex, account: Address, amount: bigint, sequence: bigint, reason: number) =>
    entry(token, [topics.issueRefused, right(orderId), left(account)], [amount, sequence, BigInt(reason)]),
  redeemed: (token: Token, orderId: Hex, account: Address, amount: bigint, messageHash: Hex) =>
    entry(token, [topics.redeemed, right(orderId), left(account)], [amount, messageHash]),
  redemptionRefused: (token: Token, orderId: Hex, account: Address, amount: bigint, messageHash: Hex, reason: number) =>
    entry(token, [topics.redemptionRefused, right(orderId), left(account)], [amount, messageHash, BigInt(reason)]),
  messageCancelled: (token: Token, account: Address, messageHash: Hex) =>
    entry(token, [topics.messageCancelled, left(account), messageHash], []),
  mintAllowanceSet: (token: Token, operator: Address, allowance: bigint, dailyLimit: bigint) =>
    entry(token, [topics.mintAllowanceSet, left(operator)], [allowance, dailyLimit]),
  paused: (token: Token, isPaused: boolean, by: Address) => entry(token, [isPaused ? topics.paused : topics.unpaused], [BigInt(by)]),
  blocked: (token: Token, isBlocked: boolean, account: Address) =>
    entry(token, [isBlocked ? topics.blocked : topics.unblocked, left(account)], []),
};

function entry({ address }: Token, eventTopics: Hex[], words: readonly (bigint | Hex)[]): TokenEvent {
  const data = words.map((word) => (typeof word === 'bigint' ? numberToHex(word, { size: 32 }) : word));
  return { address, topics: eventTopics, data: data.length === 0 ? '0x' : concat(data) };
}

function left(address: Address): Hex {
  return padHex(address, { size: 32 });
}

function right(bytes16: Hex): Hex {
  return padHex(bytes16, { size: 32, dir: 'right' });
}
