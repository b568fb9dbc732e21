import { type Abi, type Address, encodeFunctionData, type Hex, zeroHash } from 'viem';
import { describe, expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { decodeAdminCall, describeAdminCall } from '../../../src/chain/admin/admin-call.ts';
import { encodeTimelockStep } from '../../../src/chain/admin/timelock.ts';
import { decodeChange, describeChange, encodeChange, type TokenChange } from '../../../src/chain/admin/token-change.ts';
import { tokenRoles } from '../../../src/chain/token/roles.ts';
import { minorUnits, toTokenUnits } from '../../../src/platform/money.ts';

/** Without its types, so that tests may encode anything. */
const abi: Abi = eMoneyTokenAbi;
const account: Address = `0x${'1'.repeat(40)}`;
const token = { chain: 'gnosis', currency: 'eur', address: `0x${'2'.repeat(40)}` } as const;
const timelock: Address = `0x${'3'.repeat(40)}`;
const euro = (amount: bigint) => toTokenUnits(minorUnits(amount * 100n));
const allowance = {
  kind: 'allowance',
  operator: account,
  expected: euro(5n),
  allowance: euro(1_000_000n),
  dailyLimit: euro(2_000n),
} as const;

const changes: [string, TokenChange][] = [
  [
    `the operator ${account} may issue 1,000,000.00 EURe more, and 2,000.00 EURe a day; it may issue 5.00 EURe now, and what it issues of that before the change is taken off`,
    allowance,
  ],
  ['pause the token: nobody can transfer, issue or redeem', { kind: 'pause' }],
  ['resume the token: everybody can transfer, issue and redeem again', { kind: 'unpause' }],
  [`block the account ${account}: it can neither send nor receive`, { kind: 'block', account }],
  [`unblock the account ${account}: it can send and receive again`, { kind: 'unblock', account }],
  [`give the role blocker to ${account}: it may block accounts`, { kind: 'grant', role: 'BLOCKER_ROLE', account }],
  [
    `take the role operator from ${account}: it may no longer issue within its allowance, and redeem what a holder has signed`,
    { kind: 'revoke', role: 'OPERATOR_ROLE', account },
  ],
  [`replace the code of the token by ${account}`, { kind: 'upgrade', implementation: account }],
];

describe('a change of a token', () => {
  it.each(changes)('is read from its calldata and said in words: %s', (words, change) => {
    expect(decodeChange(encodeChange(change))).toEqual(change);
    expect(describeChange(change, 'eur')).toBe(words);
  });

  it.each<[string, Hex]>([
    ['bytes behind it', `${encodeChange({ kind: 'pause' })}00`],
    ['a role that is not known', encode('grantRole', [`0x${'7'.repeat(64)}`, account])],
    ['the role of the default admin', encode('grantRole', [tokenRoles.DEFAULT_ADMIN_ROLE, account])],
    ['an upgrade that calls something', encode('upgradeToAndCall', [account, '0x12345678'])],
    ['an amount below a cent', encode('setMintAllowance', [account, 0n, 1n, 1n])],
    ['another function', encode('transfer', [account, 1n])],
    ['dirt in the unused bytes of an address', encodeChange({ kind: 'block', account }).replace('000000', '000001') as Hex],
    ['no function', '0x'],
  ])('is not read from calldata with %s', (_, data) => {
    expect(decodeChange(data)).toBeUndefined();
  });
});

describe('a call of an admin', () => {
  const data = encodeChange({ kind: 'pause' });
  const operation = { target: token.address, data, salt: zeroHash };

  it('names token, network and change, and the timelock where it goes through one', () => {
    const words = (to: Address, calldata: Hex) => describeAdminCall(decodeAdminCall(to, calldata, token) as never, token);
    const prefix = `EURe ${token.address} on Gnosis (chain id 100): `;
    expect(words(token.address, data)).toBe(`${prefix}pause the token: nobody can transfer, issue or redeem`);
    expect(words(timelock, encodeTimelockStep({ step: 'schedule', operation, delay: 3_600n }))).toBe(
      `${prefix}let it wait 3600 s in the timelock ${timelock}, and do not do it yet: pause the token: nobody can transfer, issue or redeem`,
    );
    expect(words(timelock, encodeTimelockStep({ step: 'execute', operation }))).toContain(
      `carry out what has waited in the timelock ${timelock}: pause`,
    );
  });

  it('is not read where it goes to another contract, or through a timelock to another token', () => {
    expect(decodeAdminCall(account, data, token)).toBeUndefined();
    const elsewhere = encodeTimelockStep({ step: 'execute', operation: { ...operation, target: account } });
    expect(decodeAdminCall(timelock, elsewhere, token)).toBeUndefined();
  });
});

function encode(functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi, functionName, args });
}
