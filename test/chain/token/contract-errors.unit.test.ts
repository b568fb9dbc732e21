import { type Abi, encodeErrorResult, keccak256, parseUnits, stringToHex } from 'viem';
import { describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { describeContractError } from '../../../src/chain/token/contract-errors.ts';
import { tokenUnits } from '../../../src/platform/money.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';

/** Without its types, so that any error can be encoded. */
const abi: Abi = [
  ...eMoneyTokenAbi,
  ...timelockControllerAbi,
  { type: 'error', name: 'Error', inputs: [{ name: 'reason', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'code', type: 'uint256' }] },
];
const account = '0xA83DaA83DaA83DaA83DaA83DaA83DaA83DaA83Da'.toLowerCase();
const token = { chain: 'gnosis', currency: 'eur' } as const;
const options = '--chain gnosis --currency eur';

const describeError = (errorName: string, args: readonly unknown[]) =>
  describeContractError(encodeErrorResult({ abi, errorName, args }), token).toLowerCase();

describe('an error of a token contract', () => {
  it.each<[string, unknown[], string]>([
    [
      'MintAllowanceExceeded',
      [account, parseUnits('35', 18)],
      `the operator ${account} may issue 35.00 EURe more, and that is not enough. Raise it, and with it the limit of a day to at least what waits: \`mintrail token allowance ${account} AMOUNT --daily-mint-limit AMOUNT ${options}\``,
    ],
    [
      'DailyMintLimitExceeded',
      [account, parseUnits('1000000', 18)],
      `the operator ${account} may issue 1,000,000.00 EURe a day, and too little of it is left. It goes on after midnight UTC if no more than that waits; else it never does before the limit is raised: \`mintrail token allowance ${account} AMOUNT --daily-mint-limit AMOUNT ${options}\``,
    ],
    [
      'AccessControlUnauthorizedAccount',
      [account, tokenRoles.OPERATOR_ROLE],
      `${account} does not hold the role operator. The admin grants it: \`mintrail token grant operator ${account} ${options}\``,
    ],
    [
      'AccessControlUnauthorizedAccount',
      [account, tokenRoles.DEFAULT_ADMIN_ROLE],
      `${account} does not hold the role admin: \`mintrail token show --chain NAME\` lists who holds it`,
    ],
    [
      'AccessControlUnauthorizedAccount',
      [account, keccak256(stringToHex('PROPOSER_ROLE'))],
      `${account} does not hold the role proposer of the timelock: its admin grants it`,
    ],
    ['EnforcedPause', [], `the token is paused. Its admin resumes it: \`mintrail token unpause ${options}\``],
    [
      'AccountBlocked',
      [account],
      `the account ${account} is blocked. If it should not be: \`mintrail token unblock ${account} ${options}\``,
    ],
    ['Error', ['GS026'], 'a signature is not that of an owner of the Safe, or is for another transaction (GS026 of Safe)'],
    ['Error', ['out of luck'], 'the contract says “out of luck”'],
    ['Panic', [17n], "the contract computes what it cannot, Solidity's panic 17"],
    [
      'SupplyTooLarge',
      [parseUnits('0.001', 18), 1n],
      'the token holds 0.001 EURe in circulation and can not have 0.000000000000000001 EURe more',
    ],
  ])('%s is said in words, with amounts in tokens, roles by name, and the remedy', (name, args, words) => {
    expect(describeError(name, args)).toBe(words.toLowerCase());
  });

  const all = abi.flatMap((entry) => (entry.type === 'error' && entry.name !== 'Error' && entry.name !== 'Panic' ? [entry] : []));

  it.each(all.map((entry) => [entry.name, entry.inputs] as const))(
    '%s is said without its name and without token units',
    (name, inputs) => {
      const args = inputs.map(({ type }) => sample(type));
      const text = describeError(name, args);
      expect(text).not.toContain(name.toLowerCase());
      expect(text).not.toMatch(/\d{15}|undefined|0x[0-9a-f]{64}.*0x[0-9a-f]{64}/);
    },
  );

  it.each([
    ['1000', 'and too little of it is left. It goes on after midnight UTC, or raise it: '],
    ['1000.01', 'and 1,000.01 EURe wait together: they never go before the limit is raised: '],
  ])('DailyMintLimitExceeded says of %s to be issued whether the next day carries it', (issued, words) => {
    const data = encodeErrorResult({ abi, errorName: 'DailyMintLimitExceeded', args: [account, parseUnits('1000', 18)] });
    const text = describeContractError(data, token, tokenUnits(parseUnits(issued, 18)));
    expect(text).toContain(`${words}\`mintrail token allowance `);
    expect(text).toContain(` AMOUNT --daily-mint-limit AMOUNT ${options}\``);
  });

  it('of which the command does not know the token leaves it open', () => {
    const data = encodeErrorResult({ abi, errorName: 'MintAllowanceExceeded', args: [account, parseUnits('35', 18)] });
    expect(describeContractError(data)).toMatch(
      /may issue 35\.00 tokens more, .* AMOUNT --daily-mint-limit AMOUNT --chain NAME --currency CURRENCY`$/,
    );
  });

  it('that this release does not know is named by its first bytes', () => {
    expect(describeContractError('0x12345678abcdef', token)).toBe(
      'the contract gives a reason that this release does not know, 0x12345678',
    );
  });
});

function sample(type: string): unknown {
  if (type === 'address') return account;
  if (type === 'string') return 'EUR';
  if (type.startsWith('bytes')) return `0x${'a'.repeat(64)}`;
  return type === 'uint256' ? 10n ** 12n : 48;
}
