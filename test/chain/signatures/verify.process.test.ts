import { type Address, hashMessage, type Hex, size, slice } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRpc, type Rpc } from '../../../src/chain/endpoints/rpc.ts';
import type { StateBlock } from '../../../src/chain/signatures/account-probe.ts';
import { type SignatureCheck, type SignatureVerdict, verifySignatures } from '../../../src/chain/signatures/verify.ts';
import { lowerAddress } from '../../../src/platform/addresses.ts';
import { fundedAccount, type LocalAccount, localAccount, startLocalChain } from '../../support/chain/local-chain.ts';
import * as safes from '../../support/chain/safe.ts';
import { deployToken } from '../../support/chain/token.ts';
import { delegatedAccount, type OwnerSignature, signMixed, signWithPredictedSafe } from '../../support/chain/wallets.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const owners: [LocalAccount, LocalAccount, LocalAccount] = [fundedAccount(1), fundedAccount(2), fundedAccount(3)];
const [anna, jon, sara] = owners;
const foreigner = localAccount(generatePrivateKey());
const addresses = owners.map(({ address }) => address);
/** Whose transactions ask the accounts. */
const senders = { addresses: [fundedAccount(0).address], tipPerGas: 1n };
const text = 'Send EUR 1 to DE68500105178297336485 at 2026-11-20T17:00Z';
const otherText = 'Send EUR 9 to DE68500105178297336485 at 2026-11-20T17:00Z';
const other = hashMessage(otherText);

/** Where the Safe Singleton Factory puts `SafeL2` everywhere. */
const singletons = {
  '1.3.0': '0xfb1bffC9d739B8D520DaF37dF666da4C687191EA',
  '1.4.1': '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762',
  '1.5.0': '0xEdd160fEBBD92E350D4D398fb636302fccd67C7e',
};

const chain = forWholeFile(startLocalChain);
let token: Address;
let rpc: Rpc;

beforeAll(async () => {
  token = await deployToken(chain);
  rpc = createRpc({ chain: 'chiado', rpcUrls: [chain.url] });
});

type Asked = Partial<SignatureCheck> & { block?: StateBlock };

/** The verdict in one word. */
async function verdict(address: Address, signature: Hex, { block = 'latest', ...given }: Asked = {}): Promise<SignatureVerdict['kind']> {
  const check = { address: lowerAddress(address), token, digest: hashMessage(text), signature, allowUndeployed: false, ...given };
  const [only] = await verifySignatures(rpc, senders, [check], block);
  return (only as SignatureVerdict).kind;
}

describe.each(safes.safeVersions)('a Safe %s', (version) => {
  let suite: safes.SafeSuite;
  let inner: Address;
  let salt = 0;
  const create = (safeOwners: readonly Address[], threshold: number) =>
    safes.createSafe(chain, suite, { owners: safeOwners, threshold, saltNonce: ++salt });

  beforeAll(async () => {
    suite = await safes.deploySafeSuite(chain, chain.url, version);
    inner = await create(addresses, 2);
  });

  it('is the one of every chain', () => {
    expect(suite.addresses.SafeL2).toBe(singletons[version]);
  });

  it.each([1, 3])('with %i of three owners says yes to so many signatures, and to nothing less or else', async (threshold) => {
    const safe = await create(addresses, threshold);
    const sign = (signers: readonly LocalAccount[], words = text) => safes.signWithSafe(suite, safe, signers, words);
    const good = await sign(owners.slice(0, threshold));
    expect(await verdict(safe, good)).toBe('valid');
    expect(await verdict(safe, await sign(owners.slice(3 - threshold)))).toBe('valid');
    const bad: Record<string, Hex> = {
      'an owner missing': slice(good, 0, size(good) - 65),
      'one owner instead of two': slice(good, 0, 65),
      'of another text': await sign(owners.slice(0, threshold), otherText),
      'for another Safe': await safes.signWithSafe(suite, inner, [anna, jon], text),
      foreign: await signMixed(suite, safe, [...parts(owners.slice(1, threshold)), { key: foreigner, by: 'eip712' }], text),
      garbage: `0x${'5a'.repeat(65 * threshold)}`,
      'one byte': '0x00',
      empty: '0x',
    };
    if (threshold === 1) delete bad['one owner instead of two'];
    for (const [what, signature] of Object.entries(bad)) expect(await verdict(safe, signature), what).toBe('invalid');
    expect(await verdict(safe, good, { digest: other })).toBe('invalid');
  });

  it('says yes to signatures of several kinds together, one of another Safe that owns it among them', async () => {
    const safe = await create([anna.address, jon.address, inner], 3);
    const ofSafe: OwnerSignature = { safe: inner, owners: [jon, sara] };
    const mixed: OwnerSignature[] = [{ key: anna, by: 'eip712' }, { key: jon, by: 'ethSign' }, ofSafe];
    expect(await verdict(safe, await signMixed(suite, safe, mixed, text))).toBe('valid');
    expect(await verdict(safe, await signMixed(suite, safe, mixed, text), { digest: other })).toBe('invalid');
    const short: OwnerSignature[] = [...mixed.slice(0, 2), { safe: inner, owners: [jon] }];
    expect(await verdict(safe, await signMixed(suite, safe, short, text))).toBe('invalid');
  });

  it('is asked through a Safe that it owns', async () => {
    const outer = await create([inner], 1);
    const sign = (signers: readonly LocalAccount[]) => safes.signWithNestedSafe(suite, outer, inner, signers, text);
    expect(await verdict(outer, await sign([anna, sara]))).toBe('valid');
    expect(await verdict(outer, await sign([anna]))).toBe('invalid');
    expect(await verdict(outer, await sign([anna, foreigner]))).toBe('invalid');
  });

  it('that signs on chain says yes from the block of its transaction on', async () => {
    const safe = await create(addresses, 2);
    expect(await verdict(safe, '0x')).toBe('invalid');
    await safes.approveWithSafe(chain, suite, safe, [anna, jon], text);
    const block = await chain.getBlockNumber();
    expect(await verdict(safe, '0x')).toBe('valid');
    expect(await verdict(safe, '0x', { block })).toBe('valid');
    expect(await verdict(safe, '0x', { block: block - 1n })).toBe('invalid');
    expect(await verdict(safe, '0x', { block: block + 1n })).toBe('unavailable');
    expect(await verdict(safe, '0x', { digest: other })).toBe('invalid');
  });

  it('of the future proves itself for a link, and not for an order', async () => {
    const predicted = await safes.predictSafe(suite, { owners: addresses, threshold: 2, saltNonce: 99 });
    const signature = await signWithPredictedSafe(suite, predicted, [anna, jon], text);
    const { address } = predicted;
    const link = { allowUndeployed: true };
    expect(await verdict(address, signature, link)).toBe('valid');
    const order = { address: lowerAddress(address), token, digest: hashMessage(text), signature, allowUndeployed: false };
    expect(await verifySignatures(rpc, senders, [order], 'latest')).toEqual([
      { kind: 'invalid', reason: expect.stringMatching('must be deployed') },
    ]);
    expect(await verdict(address, signature, { ...link, digest: other })).toBe('invalid');
    expect(await verdict(foreigner.address, signature, link)).toBe('invalid');
    expect(await verdict(address, await signWithPredictedSafe(suite, predicted, [anna], text), link)).toBe('invalid');
    expect(await verdict(address, `0x${'6492'.repeat(16)}`, link)).toBe('invalid');
    const nowhere = { ...predicted, deployment: '0xdeadbeef' as const };
    expect(await verdict(address, await signWithPredictedSafe(suite, nowhere, [anna, jon], text), link)).toBe('invalid');
    expect(await chain.getCode({ address })).toBeUndefined();

    await safes.createSafe(chain, suite, { owners: addresses, threshold: 2, saltNonce: 99 });
    expect(await verdict(address, signature, link)).toBe('valid');
    // The token would be given the wrapper, which the Safe does not understand.
    expect(await verdict(address, signature)).toBe('invalid');
  });

  it('whose code an EIP-7702 account carries leaves that to its key', async () => {
    const account = await delegatedAccount(chain, suite.addresses.Safe);
    expect(await verdict(account.address, await account.signMessage({ message: text }))).toBe('valid');
    expect(await verdict(account.address, await anna.signMessage({ message: text }))).toBe('invalid');
    expect(await verdict(account.address, '0x')).toBe('invalid');
  });
});

function parts(keys: readonly LocalAccount[]): OwnerSignature[] {
  return keys.map((key) => ({ key, by: 'eip712' }));
}
