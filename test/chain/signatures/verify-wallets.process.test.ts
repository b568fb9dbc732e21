import { assert, asyncProperty, constantFrom, uint8Array } from 'fast-check';
import {
  type Address,
  bytesToHex,
  concat,
  encodeFunctionData,
  hashMessage,
  type Hex,
  parseAbi,
  serializeErc6492Signature,
  slice,
  zeroAddress,
} from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import { probeCode, probeSource } from '../../../src/chain/signatures/account-probe.ts';
import { type SignatureCheck, verifySignatures } from '../../../src/chain/signatures/verify.ts';
import { explainRefusal } from '../../../src/chain/signatures/explain-refusal.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { chainIds } from '../../../src/platform/chains.ts';
import { execute, fundedAccount, type LocalAccount, localAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import { createSafe, deploySafeSuite, executeWithSafe, safeMessage, signSafeMessage, signWithSafe } from '../../support/chain/safe.ts';
import { deployToken } from '../../support/chain/token.ts';
import { compile, delegatedAccount, deployWallet, deployStub, signMixed } from '../../support/chain/wallets.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';
import { startFakeServer } from '../../support/fake-server.ts';

const anna = fundedAccount(1);
/** Whose transactions ask the accounts. */
const senders = { addresses: [fundedAccount(0).address], tipPerGas: 1n };
const text = 'Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:00Z';
const digest = hashMessage(text);
const magic = `0x1626ba7e${'00'.repeat(28)}` as const;

const chain = forWholeFile(startLocalChain);
let token: Address;
let rpc: Rpc;

beforeAll(async () => {
  token = await deployToken(chain);
  rpc = createRpc({ chain: 'chiado', rpcUrls: [chain.url] });
});

function check(address: Address, signature: Hex = '0x1234', given: Partial<SignatureCheck> = {}): SignatureCheck {
  return { address: lowerAddress(address), token, digest, signature, allowUndeployed: false, ...given };
}

async function verdicts(...checks: SignatureCheck[]): Promise<string[]> {
  return (await verifySignatures(rpc, senders, checks, 'latest')).map(({ kind }) => kind);
}

const approve = (wallet: Address, approves: boolean) =>
  execute(chain, wallet, parseAbi(['function approve(bytes32 hash, bool approves)']), 'approve', [digest, approves]);

describe('an address without a contract', () => {
  it('signs by its key only', async () => {
    const signature = await anna.signMessage({ message: text });
    expect(await verdicts(check(anna.address, signature))).toEqual(['valid']);
    expect(await verdicts(check(fundedAccount(2).address, signature), check(anna.address, '0x'))).toEqual(['invalid', 'invalid']);
    // Precompiled contracts answer calls with what they were asked, or with a hash.
    expect(await verdicts(...[1, 2, 4, 9].map((n) => check(`0x${String(n).padStart(40, '0')}`, magic)))).not.toContain('valid');
  });
});

describe('a wallet of another kind', () => {
  it('signs for the account that carries its code (EIP-7702), and so does the key', async () => {
    const account = await delegatedAccount(chain, await deployWallet(chain, 'OwnerWallet', anna.address));
    const signatures = await Promise.all([account, anna, fundedAccount(2)].map((key) => key.signMessage({ message: text })));
    expect(await verdicts(...signatures.map((signature) => check(account.address, signature)))).toEqual(['valid', 'valid', 'invalid']);
  });

  it('that is deployed and not ready proves a link by ERC-6492 with the call that makes it ready, and no order', async () => {
    const wallet = await deployWallet(chain, 'DormantWallet', anna.address);
    const data = encodeFunctionData({ abi: parseAbi(['function wake()']), functionName: 'wake' });
    const wrap = async (key: LocalAccount) =>
      serializeErc6492Signature({ address: wallet, data, signature: await key.signMessage({ message: text }) });
    const [good, foreign] = [await wrap(anna), await wrap(fundedAccount(2))];
    const link = { allowUndeployed: true };
    expect(await verdicts(check(wallet, good, link), check(wallet, foreign, link), check(wallet, good))).toEqual([
      'valid',
      'invalid',
      'invalid',
    ]);
    expect(await verdicts(check(wallet, await anna.signMessage({ message: text }), link))).toEqual(['invalid']);
  });

  it('is asked whether random bytes would do: of the message, which it may have approved on chain, or of any message', async () => {
    const [keyed, approving] = [await deployWallet(chain, 'OwnerWallet', anna.address), await deployWallet(chain, 'ApprovingWallet')];
    const lenient = await deployStub(chain, { answer: magic });
    await approve(approving, true);
    // In the wrapper of ERC-6492 it is the same approval.
    const wrapped = serializeErc6492Signature({ address: lenient, data: '0x', signature: '0x' });
    const signatures: [Address, Hex][] = [
      [keyed, await anna.signMessage({ message: text })],
      [approving, '0x'],
      [approving, wrapped],
      [lenient, '0x5afe'],
    ];
    const areForAnyBytes = async (randomBytes: NonNullable<SignatureCheck['randomBytes']>) => {
      const checks = signatures.map(([wallet, signature]) => check(wallet, signature, { allowUndeployed: true, randomBytes }));
      return (await verifySignatures(rpc, senders, checks, 'latest')).map((verdict) => verdict.kind === 'valid' && verdict.isForAnyBytes);
    };
    expect(await areForAnyBytes('of this message')).toEqual([false, true, true, true]);
    expect(await areForAnyBytes('of any message')).toEqual([false, false, false, true]);
  });
});

describe('a wallet that misbehaves', () => {
  const behaviours: [string, Parameters<typeof deployStub>[1], 'valid' | 'invalid'][] = [
    ['returns nothing', { answer: '0x' }, 'invalid'],
    ['returns four bytes', { answer: '0x1626ba7e' }, 'invalid'],
    ['returns a byte less than a word', { answer: `0x1626ba7e${'00'.repeat(27)}` }, 'invalid'],
    ['returns the right word', { answer: magic }, 'valid'],
    ['returns the right word and more', { answer: concat([magic, magic, '0x01']) }, 'valid'],
    ['returns the right bytes and junk', { answer: `0x1626ba7e${'00'.repeat(27)}01` }, 'invalid'],
    ['returns the right bytes at the end of the word', { answer: `0x${'00'.repeat(28)}1626ba7e` }, 'invalid'],
    ['returns the right word in second place', { answer: concat([`0x${'00'.repeat(32)}`, magic]) }, 'invalid'],
    ['returns garbage', { answer: `0x${'ff'.repeat(320)}` }, 'invalid'],
    ['says 1', { answer: `0x${'00'.repeat(31)}01` }, 'invalid'],
    ['reverts with nothing', { answer: '0x', fails: true }, 'invalid'],
    ['reverts with a text', { answer: '0x08c379a0', fails: true }, 'invalid'],
    ['reverts with the right word', { answer: magic, fails: true }, 'invalid'],
    ['runs an invalid instruction', { code: '0xfe' }, 'invalid'],
    ['burns its gas in a loop', { code: '0x5b5f56' }, 'invalid'],
    ['asks itself without end', { code: '0x5f5f5f5f5f305af15f5ffd' }, 'invalid'],
    ['returns as much as it can', { code: '0x620400005ff3' }, 'invalid'],
    ['destroys itself', { code: '0x5fff' }, 'invalid'],
    ['writes', { code: '0x60015f55' }, 'invalid'],
  ];

  it.each(behaviours)('and %s has said so', async (_, behaviour, expected) => {
    const wallet = await deployStub(chain, behaviour);
    expect(await verdicts(check(wallet))).toEqual([expected]);
    expect(await verdicts(check(wallet, '0x', { allowUndeployed: true }))).toEqual([expected]);
    // What the account was asked then begins like what it ought to answer.
    expect(await verdicts(check(wallet, '0x', { digest: `0x${'00'.repeat(32)}` }))).toEqual([expected]);
  });

  it('does not change what those beside it are asked, even when a hundred burn all gas', async () => {
    const burner = await deployStub(chain, { code: '0xfe' });
    const approving = await deployWallet(chain, 'ApprovingWallet');
    await approve(approving, true);
    const sound = await deployWallet(chain, 'OwnerWallet', anna.address);
    const burners = Array.from({ length: 100 }, () => check(burner));
    const answers = await verdicts(...burners, check(approving, '0x'), ...burners, check(sound, await anna.signMessage({ message: text })));
    expect(answers).toEqual([...burners.map(() => 'invalid'), 'valid', ...burners.map(() => 'invalid'), 'valid']);
  });

  it('makes nobody fetch anything (EIP-3668)', async () => {
    let fetched = 0;
    const server = await startFakeServer(() => {
      fetched += 1;
      return { status: 200, body: JSON.stringify({ data: magic }) };
    });
    const wallet = await deployWallet(chain, 'LookupWallet', `${server.url}/{sender}/{data}`);
    expect(await verdicts(check(wallet))).toEqual(['invalid']);
    expect(fetched).toBe(0);
    await server.stop();
  });
});

it('the refusal of a Safe is explained to its owners, that of another account is not', async () => {
  const suite = await deploySafeSuite(chain, chain.url, '1.4.1');
  const owners = [anna, fundedAccount(2)];
  const safe = await createSafe(chain, suite, { owners: owners.map(({ address }) => address), threshold: 2, saltNonce: 7 });
  const explain = async (address: Address, signature: Hex) =>
    explainRefusal(rpc, { address: lowerAddress(address), chain: 'chiado', digest, signature }, await chain.getBlockNumber());
  const elsewhere = await signSafeMessage(safeMessage({ ...suite, chainId: chainIds.gnosis }, safe, digest), owners);
  const ethSign = await signMixed(
    { ...suite, chainId: chainIds.base },
    safe,
    owners.map((key) => ({ key, by: 'ethSign' })),
    text,
  );
  expect(await explain(safe, elsewhere)).toMatch(/on gnosis: it is good on that chain alone$/);
  expect(await explain(safe, ethSign)).toMatch(/on base: it is good on that chain alone$/);
  expect(await explain(safe, await anna.signMessage({ message: text }))).toMatch(/^an owner has signed the text itself/);
  expect(await explain(safe, slice(await signWithSafe(suite, safe, owners, text), 0, 65))).toBe(
    'the Safe needs the signatures of 2 owners, and this has 1',
  );
  expect(await explain(safe, '0x1234')).toBeUndefined();
  const remove = encodeFunctionData({ abi: parseAbi(['function setFallbackHandler(address)']), args: [zeroAddress] });
  await executeWithSafe(chain, suite, safe, owners, { to: safe, data: remove });
  expect(await explain(safe, elsewhere)).toMatch(/^the Safe has no fallback handler/);
  const others = [
    await deployWallet(chain, 'OwnerWallet', anna.address),
    await deployStub(chain, { code: '0x620400005ff3' }),
    anna.address,
  ];
  for (const other of others) expect(await explain(other, elsewhere)).toBeUndefined();
});

it('no random bytes are a signature of anything, and all are answered', async () => {
  const suite = await deploySafeSuite(chain, chain.url, '1.4.1');
  const safe = await createSafe(chain, suite, { owners: [anna.address, fundedAccount(2).address], threshold: 1 });
  const accounts = [safe, await deployWallet(chain, 'OwnerWallet', anna.address), anna.address, localAccount(generatePrivateKey()).address];
  const suffixes = ['0x', `0x${'6492'.repeat(16)}`, '0x1b'] as const;
  await assert(
    asyncProperty(uint8Array({ maxLength: 400 }), constantFrom(...suffixes), async (bytes, suffix) => {
      const signature = concat([bytesToHex(bytes), suffix]);
      const checks = accounts.flatMap((account) => [check(account, signature), check(account, signature, { allowUndeployed: true })]);
      expect(await verdicts(...checks)).toEqual(checks.map(() => 'invalid'));
    }),
    { numRuns: 150 },
  );
});

it('the probe is what its source compiles to', () => {
  expect(Object.values(compile('Yul', probeSource, 'paris'))).toEqual([probeCode]);
});
