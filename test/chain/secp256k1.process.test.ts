import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { assert, property, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nobleCurve } from '../../src/chain/noble-curve.ts';
import { curve, isNativeCurve } from '../../src/chain/secp256k1.ts';

const bytes = (length: number) => uint8Array({ minLength: length, maxLength: length });
const order = Buffer.from('fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141', 'hex');
const [zero, one, half] = [Buffer.alloc(32), Buffer.alloc(32), Buffer.from(order)];
one[31] = 1;
half[31] = 0x40;

/** What a function gives, or that it throws. */
function outcome(run: () => Uint8Array | boolean | { signature: Uint8Array; recid: number }): string {
  try {
    return JSON.stringify(run(), (_, value: unknown) => (value instanceof Uint8Array ? Array.from(value) : value));
  } catch {
    return 'throws';
  }
}

describe('the two implementations of the curve', () => {
  it('are different ones here', () => expect(isNativeCurve).toBe(true));

  it('sign the same, and recover the same key', () => {
    assert(
      property(bytes(32), bytes(32), (digest, key) => {
        const [byNative, byNoble] = [outcome(() => curve.ecdsaSign(digest, key)), outcome(() => nobleCurve.ecdsaSign(digest, key))];
        expect(byNoble).toBe(byNative);
        if (byNative === 'throws') return;
        const { signature, recid } = curve.ecdsaSign(digest, key);
        expect(outcome(() => nobleCurve.ecdsaRecover(signature, recid, digest))).toBe(outcome(() => curve.publicKeyCreate(key)));
        expect(outcome(() => nobleCurve.publicKeyCreate(key))).toBe(outcome(() => curve.publicKeyCreate(key)));
      }),
      { numRuns: 25 },
    );
  });

  it('agree on what is no key, no point and no signature', () => {
    const digest = randomBytes(32);
    const key = randomBytes(32);
    const { signature } = curve.ecdsaSign(digest, key);
    const [r, s] = [signature.subarray(0, 32), signature.subarray(32)];
    const highS = Buffer.from(
      (BigInt(`0x${order.toString('hex')}`) - BigInt(`0x${Buffer.from(s).toString('hex')}`)).toString(16).padStart(64, '0'),
      'hex',
    );
    const signatures = [
      signature,
      ...[
        [r, highS],
        [zero, s],
        [r, zero],
        [order, s],
        [r, order],
        [one, one],
        [r, half],
      ].map((pair) => Buffer.concat(pair)),
    ];
    for (const candidate of signatures) {
      for (const recid of [0, 1])
        expect(outcome(() => nobleCurve.ecdsaRecover(candidate, recid, digest))).toBe(
          outcome(() => curve.ecdsaRecover(candidate, recid, digest)),
        );
    }
    for (const candidate of [signature, Buffer.concat([r, highS])])
      expect(outcome(() => nobleCurve.signatureNormalize(candidate))).toBe(
        outcome(() => curve.signatureNormalize(Uint8Array.from(candidate))),
      );
    for (const candidate of [zero, one, order, half, Buffer.alloc(32, 0xff)])
      expect(nobleCurve.privateKeyVerify(candidate)).toBe(curve.privateKeyVerify(candidate));
    const point = curve.publicKeyCreate(key);
    for (const candidate of [
      point,
      Buffer.alloc(65, 4),
      Buffer.concat([Buffer.of(4), zero, zero]),
      Buffer.concat([point.subarray(0, 64), Buffer.of(0)]),
    ])
      expect(nobleCurve.publicKeyVerify(candidate)).toBe(curve.publicKeyVerify(candidate));
    for (const der of ['3006020101020101', '30060201010201', '', `3045022100${'ee'.repeat(32)}0220${'11'.repeat(32)}`])
      expect(outcome(() => nobleCurve.signatureImport(Buffer.from(der, 'hex')))).toBe(
        outcome(() => curve.signatureImport(Buffer.from(der, 'hex'))),
      );
  });
});

/** A process that signs with a new key, as a worker does. It prints whether it has the native library, the signature's length, and its modules of `elliptic`. */
const program = (hooks: string) => `
  import { createRequire, Module } from 'node:module';
  ${hooks}
  const { isNativeCurve } = await import('./src/chain/secp256k1.ts');
  const { createSignerOfKey } = await import('./src/chain/signers/raw-key.ts');
  const signer = createSignerOfKey(new Uint8Array(32).fill(7), 'raw key');
  const { raw } = await signer.sign({ type: 'eip1559', chainId: 1, nonce: 0, gas: 21000n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n });
  const elliptic = Object.keys(createRequire(import.meta.url).cache).filter((file) => /elliptic/.test(file));
  console.log(JSON.stringify({ isNativeCurve, isSigned: raw.length > 130, elliptic }));
`;

const withoutBinary = `
  const load = Module._load;
  Module._load = (name, ...rest) => { if (name === 'node-gyp-build') throw new Error('no native build was found'); return load(name, ...rest); };`;

describe('a process that signs', () => {
  it.each([
    ['where the native library loads', '', true],
    ['where it does not, as on Linux on arm64', withoutBinary, false],
  ])('loads no module of elliptic, whose signing leaks the key, %s', async (_, hooks, isNative) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program(hooks)]);
    expect(JSON.parse(stdout)).toEqual({ isNativeCurve: isNative, isSigned: true, elliptic: [] });
  });
});
