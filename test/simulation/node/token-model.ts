import {
  type Abi,
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionResult,
  type Hex,
  hashMessage,
  hexToString,
  keccak256,
  size,
  stringToHex,
  zeroAddress,
} from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { recoverSigner } from '../../../src/chain/signatures/ecdsa.ts';
import { parsePaymentMessage } from '../../../src/ledger/orders/payment-message.ts';
import { type ContractAccountKind } from './contract-accounts.ts';
import { issueItems, type PackedRedemption, redeemItems } from './packed-batch.ts';
import { type TokenEvent, tokenEvents } from './token-events.ts';
import { callOverheadGas, tokenGas } from './token-gas.ts';

/** Minor units: what an operator may mint (contracts/src/MintLimits.sol). */
interface MintLimit {
  allowance: bigint;
  dailyLimit: bigint;
  usedOnDay: bigint;
  day: bigint;
}

/** The storage of a token. Addresses are in lower case. */
export interface TokenState {
  address: Address;
  currency: string;
  admin: Address;
  signatureGas: number;
  paused: boolean;
  supply: bigint;
  balances: Map<string, bigint>;
  blocked: Set<string>;
  /** Accounts that have received tokens, now or before. */
  touched: Set<string>;
  sequences: Set<bigint>;
  /** By account and hash. */
  decisions: Map<string, 'final' | 'cancelled'>;
  /** Of every account with the operator's role. */
  limits: Map<string, MintLimit>;
}

/** Around a call: who calls, when, at which price, and which accounts have code. */
export interface CallContext {
  sender: Address;
  /** Seconds since 1970. */
  timestamp: bigint;
  /** Wei. */
  gasPrice: bigint;
  /** Gas left when the token's code begins. */
  gas: number;
  contracts: ReadonlyMap<string, ContractAccountKind>;
}

/** What a call did. Where it reverted, the state is as before. */
export type CallResult =
  | { state: TokenState; events: TokenEvent[]; gasUsed: number; result: Hex }
  | { reverted: Hex; gasUsed: number }
  | { outOfGas: true };

/** For names that are only known at run time. */
const anyAbi: Abi = eMoneyTokenAbi;

const tokenUnitsPerMinorUnit = 10n ** 16n;
const maxMinorUnits = (1n << 80n) - 1n;
const messageLifetimeSeconds = 30n * 86_400n;
const secondsPerDay = 86_400n;
const operatorRole = keccak256(stringToHex('OPERATOR_ROLE'));

/** A revert of the token's code, with its data. */
class Revert extends Error {
  readonly data: Hex;
  constructor(errorName: string, args: readonly unknown[] = []) {
    super(errorName);
    this.data = encodeErrorResult({ abi: anyAbi, errorName, args });
  }
}

class OutOfGas extends Error {}

/** A token that was just deployed. */
export function createToken(setup: Pick<TokenState, 'address' | 'currency' | 'admin' | 'signatureGas'>): TokenState {
  return {
    ...setup,
    paused: false,
    supply: 0n,
    balances: new Map(),
    blocked: new Set(),
    touched: new Set(),
    sequences: new Set(),
    decisions: new Map(),
    limits: new Map(),
  };
}

/** Gives an account the operator's role, as `initialize` does. Minor units. */
export function addOperator(token: TokenState, operator: Address, allowance: bigint, dailyLimit: bigint = allowance): void {
  token.limits.set(operator, { allowance, dailyLimit, usedOnDay: 0n, day: 0n });
}

/** A token's state that may be changed while the original is kept. */
function copyOf(token: TokenState): TokenState {
  return {
    ...token,
    balances: new Map(token.balances),
    blocked: new Set(token.blocked),
    touched: new Set(token.touched),
    sequences: new Set(token.sequences),
    decisions: new Map(token.decisions),
    limits: new Map([...token.limits].map(([operator, limit]) => [operator, { ...limit }])),
  };
}

/** Executes a call of the token as the contract does; the state that comes in is left as it is. */
export function callToken(before: TokenState, data: Hex, context: CallContext): CallResult {
  const token = copyOf(before);
  const run: Run = { token, context, events: [], gasUsed: tokenGas.dispatch, warm: new Set() };
  try {
    const result = dispatch(run, data);
    if (run.gasUsed > context.gas) return { outOfGas: true };
    return { state: token, events: run.events, gasUsed: run.gasUsed, result };
  } catch (error) {
    if (error instanceof OutOfGas || run.gasUsed > context.gas) return { outOfGas: true };
    if (error instanceof Revert) return { reverted: error.data, gasUsed: run.gasUsed };
    throw error;
  }
}

interface Run {
  token: TokenState;
  context: CallContext;
  events: TokenEvent[];
  gasUsed: number;
  /** The accounts and storage words that the transaction has used or written: the first time costs more (EIP-2929). */
  warm: Set<string>;
}

function dispatch(run: Run, data: Hex): Hex {
  const call = decodeFunctionData({ abi: eMoneyTokenAbi, data });
  const { token } = run;
  switch (call.functionName) {
    case 'issue':
      issue(run, call.args[0]);
      return '0x';
    case 'redeem':
      redeem(run, call.args[0]);
      return '0x';
    case 'cancelMessage':
      cancelMessage(run, call.args[0]);
      return '0x';
    case 'transfer':
      transfer(run, lower(call.args[0]), call.args[1]);
      return encodeFunctionResult({ abi: eMoneyTokenAbi, functionName: 'transfer', result: true });
    case 'pause':
    case 'unpause':
      setPaused(run, call.functionName === 'pause');
      return '0x';
    case 'blockAccount':
    case 'unblockAccount':
      setBlocked(run, lower(call.args[0]), call.functionName === 'blockAccount');
      return '0x';
    case 'setMintAllowance':
      setMintAllowance(run, call.args);
      return '0x';
    default:
      return encodeFunctionResult({ abi: anyAbi, functionName: call.functionName, result: read(token, call, run.context) });
  }
}

function read(token: TokenState, call: ReturnType<typeof decodeFunctionData<typeof eMoneyTokenAbi>>, context: CallContext): unknown {
  switch (call.functionName) {
    case 'balanceOf':
      return token.balances.get(lower(call.args[0])) ?? 0n;
    case 'totalSupply':
      return token.supply;
    case 'paused':
      return token.paused;
    case 'blocked':
      return token.blocked.has(lower(call.args[0]));
    case 'currency':
      return token.currency;
    case 'signatureGas':
      return BigInt(token.signatureGas);
    case 'sequenceUsed':
      return token.sequences.has(call.args[0]);
    case 'messageUsed':
      return token.decisions.has(decisionKey(lower(call.args[0]), call.args[1]));
    case 'mintAllowance':
      return (token.limits.get(lower(call.args[0]))?.allowance ?? 0n) * tokenUnitsPerMinorUnit;
    case 'dailyMintLimit':
      return (token.limits.get(lower(call.args[0]))?.dailyLimit ?? 0n) * tokenUnitsPerMinorUnit;
    case 'mintable':
      return available(token.limits.get(lower(call.args[0])), context) * tokenUnitsPerMinorUnit;
    case 'hasRole':
      return call.args[0] === operatorRole ? token.limits.has(lower(call.args[1])) : lower(call.args[1]) === token.admin;
    default:
      throw new Error(`the model of the token does not know ${call.functionName}: add it to test/simulation/node/token-model.ts`);
  }
}

function issue(run: Run, batch: Hex): void {
  const { token } = run;
  requireOperator(run);
  requireRunning(run);
  let [used, refused] = [0n, 0n];
  let word: bigint | undefined;
  for (const item of issueItems(batch)) {
    if (!item) throw new Revert('MalformedBatch');
    const { sequence, minorUnits, orderId } = item;
    const account = lower(item.account);
    if (sequence >> 8n !== word) spend(run, tokenGas.sequenceWord);
    word = sequence >> 8n;
    if (token.sequences.has(sequence)) {
      spend(run, tokenGas.usedSequence);
      continue;
    }
    if (minorUnits === 0n) {
      spend(run, tokenGas.emptyItem);
      continue;
    }
    if (isFirst(run, `word ${word}`)) spend(run, hasWord(token, word) ? tokenGas.changedWord : tokenGas.newWord);
    token.sequences.add(sequence);
    used += minorUnits;
    const amount = minorUnits * tokenUnitsPerMinorUnit;
    const isBlocked = token.blocked.has(account);
    if (isBlocked || account === zeroAddress || account === token.address) {
      refused += minorUnits;
      spend(run, isFirst(run, account) ? tokenGas.refusedIssue : tokenGas.refusedIssueAgain);
      run.events.push(tokenEvents.issueRefused(token, orderId, account, amount, sequence, isBlocked ? 1 : 2));
      continue;
    }
    if (!isFirst(run, `balance of ${account}`)) spend(run, tokenGas.issueAgain);
    else spend(run, token.touched.has(account) ? tokenGas.issue : tokenGas.issueToNew);
    run.warm.add(account);
    token.touched.add(account);
    token.balances.set(account, (token.balances.get(account) ?? 0n) + amount);
    run.events.push(
      tokenEvents.transfer(token, zeroAddress, account, amount),
      tokenEvents.issued(token, orderId, account, amount, sequence),
    );
  }
  useMintLimit(run, used);
  if (used > 0n) spend(run, tokenGas.changedWord);
  if (used > refused) spend(run, tokenGas.changedWord);
  token.supply += (used - refused) * tokenUnitsPerMinorUnit;
}

function useMintLimit({ token, context }: Run, used: bigint): void {
  const limit = token.limits.get(context.sender) as MintLimit;
  if (used > limit.allowance) throw new Revert('MintAllowanceExceeded', [context.sender, limit.allowance * tokenUnitsPerMinorUnit]);
  if (used > available(limit, context))
    throw new Revert('DailyMintLimitExceeded', [context.sender, limit.dailyLimit * tokenUnitsPerMinorUnit]);
  limit.usedOnDay = usedToday(limit, context) + used;
  limit.allowance -= used;
  limit.day = context.timestamp / secondsPerDay;
}

function usedToday(limit: MintLimit, { timestamp }: CallContext): bigint {
  return limit.day === timestamp / secondsPerDay ? limit.usedOnDay : 0n;
}

function available(limit: MintLimit | undefined, context: CallContext): bigint {
  if (!limit) return 0n;
  const today = limit.dailyLimit - usedToday(limit, context);
  if (today <= 0n) return 0n;
  return today < limit.allowance ? today : limit.allowance;
}

function redeem(run: Run, batch: Hex): void {
  const { token } = run;
  requireOperator(run);
  requireRunning(run);
  let burnt = 0n;
  for (const item of redeemItems(batch)) {
    if (!item) throw new Revert('MalformedBatch');
    burnt += redeemItem(run, item);
  }
  if (burnt > 0n) spend(run, tokenGas.changedWord);
  token.supply -= burnt;
}

function redeemItem(run: Run, { orderId, account: mixedCase, minorUnits, message, signature }: PackedRedemption): bigint {
  const { token, context } = run;
  const account = lower(mixedCase);
  const amount = minorUnits * tokenUnitsPerMinorUnit;
  const messageHash = hashMessage({ raw: message });
  const key = decisionKey(account, messageHash);
  spend(run, tokenGas.redeemItem);
  if (token.decisions.get(key) === 'final') return 0n;
  let refusal = messageRefusal(token, message, amount, context);
  if (refusal === 0 && token.decisions.get(key) === 'cancelled') refusal = 5;
  if (refusal === 0) refusal = signatureRefusal(run, { orderId, account, messageHash, signature });
  if (refusal === 0) {
    spend(run, tokenGas.decision);
    if (isFirst(run, account)) spend(run, tokenGas.accountAccess);
    token.decisions.set(key, 'final');
    const balance = token.balances.get(account) ?? 0n;
    if (token.blocked.has(account)) refusal = 7;
    else if (balance < amount) refusal = 8;
    else token.balances.set(account, balance - amount);
  }
  if (refusal !== 0) {
    spend(run, tokenGas.refusedRedemption);
    run.events.push(tokenEvents.redemptionRefused(token, orderId, account, amount, messageHash, refusal));
    return 0n;
  }
  spend(run, tokenGas.redeemed);
  if (isFirst(run, `balance of ${account}`)) spend(run, tokenGas.changedWord);
  run.events.push(
    tokenEvents.transfer(token, account, zeroAddress, amount),
    tokenEvents.redeemed(token, orderId, account, amount, messageHash),
  );
  return amount;
}

/** Numbers of `RedemptionRefusal`; 0 when nothing is wrong with the message. */
function messageRefusal(token: TokenState, message: Hex, amount: bigint, { timestamp }: CallContext): number {
  const parsed = parsePaymentMessage(hexToString(message));
  if (!parsed) return 1;
  if (parsed.currency !== token.currency) return 2;
  if (parsed.amount * tokenUnitsPerMinorUnit !== amount || amount === 0n) return 3;
  return timestamp > BigInt(Math.floor(parsed.time / 1_000)) + messageLifetimeSeconds ? 4 : 0;
}

function signatureRefusal(
  run: Run,
  { orderId, account, messageHash, signature }: { orderId: Hex; account: Address; messageHash: Hex; signature: Hex },
): number {
  const { token, context } = run;
  if (size(signature) === 65) spend(run, tokenGas.keyRecovery);
  if (recoverSigner(messageHash, signature) === account) return 0;
  const bytes16 = `${orderId}${'0'.repeat(32)}` as Hex;
  const itemHash = keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'bytes32' }, { type: 'bytes32' }], [bytes16, messageHash, keccak256(signature)]),
  );
  const key = decisionKey(account, itemHash);
  spend(run, tokenGas.falseSignature);
  if (token.decisions.get(key) === 'final') return 6;
  const contract = context.contracts.get(account);
  if (isFirst(run, `code of ${account}`)) spend(run, tokenGas.accountAccess);
  if (contract) {
    const required = Math.floor((token.signatureGas * 64) / 63) + callOverheadGas;
    const left = context.gas - run.gasUsed;
    if (left < required) throw new Revert('InsufficientGasForSignature', [BigInt(required), BigInt(Math.max(left, 0))]);
    const answer = contract.answer(token.signatureGas, context.gasPrice);
    spend(run, answer.gasUsed);
    if (answer.valid) return 0;
  }
  token.decisions.set(key, 'final');
  spend(run, tokenGas.falseDecision);
  return 6;
}

function cancelMessage({ token, context, events }: Run, messageHash: Hex): void {
  const key = decisionKey(context.sender, messageHash);
  if (token.decisions.has(key)) throw new Revert('MessageAlreadyUsed', [context.sender, messageHash]);
  token.decisions.set(key, 'cancelled');
  events.push(tokenEvents.messageCancelled(token, context.sender, messageHash));
}

function transfer(run: Run, to: Address, amount: bigint): void {
  const { token, context } = run;
  requireRunning(run);
  if (to === zeroAddress || to === token.address) throw new Revert('ERC20InvalidReceiver', [to]);
  if (token.blocked.has(context.sender)) throw new Revert('AccountBlocked', [context.sender]);
  const balance = token.balances.get(context.sender) ?? 0n;
  if (balance < amount) throw new Revert('ERC20InsufficientBalance', [context.sender, balance, amount]);
  if (token.blocked.has(to)) throw new Revert('AccountBlocked', [to]);
  token.balances.set(context.sender, balance - amount);
  token.balances.set(to, (token.balances.get(to) ?? 0n) + amount);
  token.touched.add(to);
  spend(run, tokenGas.transfer);
  run.events.push(tokenEvents.transfer(token, context.sender, to, amount));
}

function setPaused(run: Run, paused: boolean): void {
  requireAdmin(run, paused ? 'PAUSER_ROLE' : 'UNPAUSER_ROLE');
  if (run.token.paused === paused) throw new Revert(paused ? 'EnforcedPause' : 'ExpectedPause');
  run.token.paused = paused;
  run.events.push(tokenEvents.paused(run.token, paused, run.context.sender));
}

function setBlocked(run: Run, account: Address, isBlocked: boolean): void {
  requireAdmin(run, isBlocked ? 'BLOCKER_ROLE' : 'UNBLOCKER_ROLE');
  if (run.token.blocked.has(account) === isBlocked) return;
  if (isBlocked) run.token.blocked.add(account);
  else run.token.blocked.delete(account);
  run.events.push(tokenEvents.blocked(run.token, isBlocked, account));
}

function setMintAllowance(run: Run, [account, expected, allowance, dailyLimit]: readonly [Address, bigint, bigint, bigint]): void {
  const { token, events } = run;
  requireAdmin(run, 'ALLOWANCE_ROLE');
  const operator = lower(account);
  const limit = token.limits.get(operator);
  if (!limit) throw new Revert('AccessControlUnauthorizedAccount', [operator, operatorRole]);
  const current = limit.allowance * tokenUnitsPerMinorUnit;
  if (current > expected) throw new Revert('MintAllowanceRaised', [operator, current]);
  const mintedSince = toMinorUnits(expected - current);
  const raised = toMinorUnits(allowance);
  limit.allowance = raised < mintedSince ? 0n : raised - mintedSince;
  limit.dailyLimit = toMinorUnits(dailyLimit);
  events.push(
    tokenEvents.mintAllowanceSet(token, operator, limit.allowance * tokenUnitsPerMinorUnit, limit.dailyLimit * tokenUnitsPerMinorUnit),
  );
}

function toMinorUnits(tokenUnits: bigint): bigint {
  const minorUnits = tokenUnits / tokenUnitsPerMinorUnit;
  if (minorUnits * tokenUnitsPerMinorUnit !== tokenUnits || minorUnits > maxMinorUnits) throw new Revert('InvalidMintLimit', [tokenUnits]);
  return minorUnits;
}

function requireOperator({ token, context }: Run): void {
  if (!token.limits.has(context.sender)) throw new Revert('AccessControlUnauthorizedAccount', [context.sender, operatorRole]);
}

function requireAdmin({ token, context }: Run, role: string): void {
  if (context.sender !== token.admin) throw new Revert('AccessControlUnauthorizedAccount', [context.sender, keccak256(stringToHex(role))]);
}

function requireRunning({ token }: Run): void {
  if (token.paused) throw new Revert('EnforcedPause');
}

function spend(run: Run, gas: number): void {
  run.gasUsed += gas;
  if (run.gasUsed > run.context.gas) throw new OutOfGas();
}

function isFirst({ warm }: Run, what: string): boolean {
  if (warm.has(what)) return false;
  warm.add(what);
  return true;
}

function hasWord(token: TokenState, index: bigint): boolean {
  for (let sequence = index << 8n; sequence < (index + 1n) << 8n; sequence += 1n) if (token.sequences.has(sequence)) return true;
  return false;
}

function decisionKey(account: string, hash: Hex): string {
  return `${account} ${hash}`;
}

function lower(address: string): Address {
  return address.toLowerCase() as Address;
}
