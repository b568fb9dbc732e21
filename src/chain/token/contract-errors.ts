import { type Address, decodeErrorResult, type Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import type { Chain } from '../../platform/chains.ts';
import { type Currency, type TokenUnits, tokenSymbol, tokenUnits } from '../../platform/money.ts';
import { formatTokensAs } from './amounts.ts';
import { roleNameOfId } from './roles.ts';

/** The token that a call was for. Texts name its commands. */
export interface TokenName {
  chain: Chain;
  currency: Currency;
}

const abi = [...eMoneyTokenAbi, ...timelockControllerAbi] as const;

/** An error of a token, of a timelock that administers one, or one that the compiler has for every contract. */
type ContractErrorName = Extract<(typeof abi)[number], { type: 'error' }>['name'] | 'Error' | 'Panic';

/**
 * What a revert of a token, its timelock or its Safe means, in words: amounts in tokens, roles by name, the account, and the command that removes the
 * cause where there is one. Without the name of the token, commands leave open which it is. `issued` is what the call issues, in token units, by which
 * the text tells whether the limit of a day can ever carry it.
 */
export function describeContractError(data: Hex, token?: TokenName, issued?: TokenUnits): string {
  if (data === '0x') return 'the contract gives no reason';
  let error: { errorName: ContractErrorName; args?: readonly unknown[] | undefined };
  try {
    error = decodeErrorResult({ abi, data });
  } catch {
    return `the contract gives a reason that this release does not know, ${data.slice(0, 10)}`;
  }
  const text: Text = texts[error.errorName];
  return text(toWords(token, issued), ...(error.args ?? []));
}

/** How the texts name commands and amounts. */
interface Words {
  /** A command that changes the token, such as `allowance 0x… AMOUNT`. */
  command: (change: string) => string;
  money: (amount: unknown) => string;
  /** What the call issues; undefined when nobody has said. */
  issued: TokenUnits | undefined;
}

function toWords(token: TokenName | undefined, issued: TokenUnits | undefined): Words {
  return {
    issued,
    command: (change) => `\`mintrail token ${change} --chain ${token?.chain ?? 'NAME'} --currency ${token?.currency ?? 'CURRENCY'}\``,
    money: (amount) => formatTokensAs(tokenUnits(amount as bigint), token ? tokenSymbol(token.currency) : 'tokens'),
  };
}

type Text = (words: Words, ...args: readonly unknown[]) => string;

const texts = {
  // Limits of an operator.
  // Both limits are named: what waits may exceed the limit of a day, too, and would stop there next.
  MintAllowanceExceeded: ({ command, money }, operator, allowance) =>
    `the operator ${address(operator)} may issue ${money(allowance)} more, and that is not enough. Raise it, and with it the limit of a day to at least what waits: ${command(limits(operator))}`,
  DailyMintLimitExceeded: ({ command, money, issued }, operator, limit) => {
    const may = `the operator ${address(operator)} may issue ${money(limit)} a day`;
    if (issued === undefined)
      return `${may}, and too little of it is left. It goes on after midnight UTC if no more than that waits; else it never does before the limit is raised: ${command(limits(operator))}`;
    return issued > (limit as bigint)
      ? `${may}, and ${money(issued)} wait together: they never go before the limit is raised: ${command(limits(operator))}`
      : `${may}, and too little of it is left. It goes on after midnight UTC, or raise it: ${command(limits(operator))}`;
  },
  MintAllowanceRaised: ({ money }, operator, allowance) =>
    `the allowance of the operator ${address(operator)} was raised meanwhile, to ${money(allowance)}. Run the command again, which reads it anew`,
  InvalidMintLimit: ({ money }, amount) => `${money(amount)} is no limit that the token takes: it must be whole cents, and not too large`,

  // Who may do what.
  AccessControlUnauthorizedAccount: ({ command }, account, role) => unauthorized(command, account, role),
  AccessControlBadConfirmation: () => 'an account can give up its own roles only',
  AccessControlEnforcedDefaultAdminDelay: (_, schedule) =>
    `the role admin can be accepted only after a delay that ends at second ${String(schedule)} since 1970`,
  AccessControlEnforcedDefaultAdminRules: () => 'the role admin is not granted or revoked, but handed over and accepted',
  AccessControlInvalidDefaultAdmin: (_, account) => `${address(account)} cannot be the admin of the token`,
  AccountBlocked: ({ command }, account) =>
    `the account ${address(account)} is blocked. If it should not be: ${command(`unblock ${address(account)}`)}`,

  // The token as a whole.
  EnforcedPause: ({ command }) => `the token is paused. Its admin resumes it: ${command('unpause')}`,
  ExpectedPause: () => 'the token is not paused',
  SupplyTooLarge: ({ money }, supply, added) => `the token holds ${money(supply)} in circulation and can not have ${money(added)} more`,
  InvalidInitialization: () => 'the contract was set up before, and can be set up only once',
  NotInitializing: () => 'this can be done only while the contract is set up',
  InvalidCurrency: (_, currency) => `${String(currency)} is no currency of three letters`,
  InvalidSignatureGas: (_, gas) => `${String(gas)} gas for the signature check of an account is not within the token's bounds`,

  // Transfers, permits and signatures.
  ERC20InsufficientBalance: ({ money }, account, balance, needed) =>
    `the account ${address(account)} holds ${money(balance)}, and ${money(needed)} are needed`,
  ERC20InsufficientAllowance: ({ money }, spender, allowance, needed) =>
    `${address(spender)} may spend ${money(allowance)} of the account, and ${money(needed)} are needed`,
  ERC20InvalidApprover: (_, account) => `${address(account)} cannot approve anything`,
  ERC20InvalidReceiver: (_, account) => `${address(account)} cannot receive tokens`,
  ERC20InvalidSender: (_, account) => `${address(account)} cannot send tokens`,
  ERC20InvalidSpender: (_, account) => `${address(account)} cannot be allowed to spend tokens`,
  PermitExpired: (_, deadline) => `the permit ended at second ${String(deadline)} since 1970`,
  InvalidSignature: (_, account) => `the signature is not that of the account ${address(account)}`,
  InvalidAccountNonce: (_, account, nonce) => `the next nonce of a permit of ${address(account)} is ${String(nonce)}`,
  AuthorizationAlreadyUsed: (_, account) => `this authorization of ${address(account)} was used or cancelled before`,
  AuthorizationNotValidNow: (_, after, before) =>
    `the authorization is valid between the seconds ${String(after)} and ${String(before)} since 1970`,
  CallerNotPayee: (_, caller, payee) => `only the payee ${address(payee)} can take this transfer, and not ${address(caller)}`,
  MessageAlreadyUsed: (_, account) => `this message of the account ${address(account)} was used before`,

  // What points to a fault of this program, or to another contract.
  InsufficientGasForSignature: (_, required, available) =>
    `the signature check of an account may take ${String(required)} gas, and the call had ${String(available)} left`,
  MalformedBatch: () => 'the token cannot read the batch: it may have been upgraded to code of another release',
  AddressEmptyCode: (_, target) => `there is no contract at ${address(target)}`,
  ERC1967InvalidImplementation: (_, implementation) => `${address(implementation)} is no code of a token`,
  ERC1967NonPayable: () => 'an upgrade takes no money',
  UUPSUnauthorizedCallContext: () => 'an upgrade is made by calling the token, not its code',
  UUPSUnsupportedProxiableUUID: () => 'the new code could not be upgraded again (ERC-1822)',
  SafeERC20FailedOperation: (_, contract) => `the contract ${address(contract)} does not transfer its tokens`,
  SafeCastOverflowedUintDowncast: () => 'a number is too large for the contract',
  FailedCall: () => 'the call that it makes in turn fails and gives no reason',

  // Those that the compiler has, and Safe's, which are codes in a text (the page error_codes of its contracts).
  Error: (_, reason) => {
    const text = String(reason);
    return safeErrors[text] === undefined ? `the contract says “${text}”` : `${safeErrors[text]} (${text} of Safe)`;
  },
  Panic: (_, code) => `the contract computes what it cannot, Solidity's panic ${String(code)}`,

  // The timelock.
  TimelockInsufficientDelay: (_, delay, least) =>
    `the change would wait ${String(delay)} s in the timelock, which demands ${String(least)} s`,
  TimelockInvalidOperationLength: () => 'the operation of the timelock is incomplete',
  TimelockUnauthorizedCaller: (_, caller) => `${address(caller)} may not do this with the timelock`,
  TimelockUnexecutedPredecessor: () => 'another operation of the timelock must be carried out first',
  TimelockUnexpectedOperationState: () =>
    'the change does not wait in the timelock, waits still, or was carried out: `mintrail token show --chain NAME` lists what waits',
} as const satisfies Record<ContractErrorName, Text>;

const safeErrors: Readonly<Record<string, string>> = {
  GS010: 'the transaction has too little gas for what the Safe is to do',
  GS013: 'the call that the Safe makes would fail',
  GS020: 'too few owners of the Safe have signed',
  GS025: 'an owner of the Safe has not approved this transaction',
  GS026: 'a signature is not that of an owner of the Safe, or is for another transaction',
  GS200: 'the Safe was set up before',
  GS201: 'the threshold is more than the number of owners',
  GS202: 'a Safe needs a threshold of at least 1',
  GS203: 'an owner is no address that can own a Safe',
  GS204: 'an owner is named twice',
};

function unauthorized(command: Words['command'], account: unknown, id: unknown): string {
  const role = roleNameOfId(id as Hex);
  const lacks = `${address(account)} does not hold the role ${role ?? `with the id ${String(id)}`}`;
  if (role === undefined || role === 'admin') return `${lacks}: \`mintrail token show --chain NAME\` lists who holds it`;
  if (role === 'proposer' || role === 'executor' || role === 'canceller') return `${lacks} of the timelock: its admin grants it`;
  return `${lacks}. The admin grants it: ${command(`grant ${role} ${address(account)}`)}`;
}

/** The change that sets both limits of an operator. */
function limits(operator: unknown): string {
  return `allowance ${address(operator)} AMOUNT --daily-mint-limit AMOUNT`;
}

function address(value: unknown): Address {
  return value as Address;
}
