import { describe, expect, it } from 'vitest';
import type { OpenTransaction } from '../../../src/ledger/lanes/unmined-transactions.ts';
import { createNonces, widestGap } from '../../../src/workers/lanes/nonces.ts';

function noncesOf(count: bigint, live: bigint[]) {
  const nonces = createNonces();
  nonces.update(count, live);
  return nonces;
}

function transaction(nonce: bigint): OpenTransaction {
  const blocks = { sentAtBlock: 1n, firstSentAtBlock: 1n, refusals: 0, refusedSinceBlock: null };
  return { id: `transaction ${nonce}`, nonce, kind: 'issue', currency: 'eur', gasLimit: 1n, attempts: [], ...blocks };
}

describe('the nonces of a lane', () => {
  it('go on after the live transactions', () => {
    const nonces = noncesOf(5n, [5n, 6n]);
    expect(nonces.next()).toBe(7n);
    nonces.take(transaction(7n));
    expect(nonces.next()).toBe(8n);
    expect(nonces.inFlight()).toBe(3);
    expect(nonces.gaps()).toEqual([]);
    expect(nonces.taken()).toEqual([transaction(7n)]);
    nonces.update(6n, [6n, 7n]);
    expect(nonces.taken()).toEqual([]);
  });

  it('begin with the lowest that no live transaction holds', () => {
    const nonces = noncesOf(5n, [4n, 6n, 7n, 9n]);
    expect(nonces.gaps()).toEqual([5n, 8n]);
    expect(nonces.next()).toBe(5n);
    nonces.take(transaction(5n));
    expect(nonces.next()).toBe(8n);
    expect(nonces.gaps()).toEqual([8n]);
    expect(nonces.inFlight()).toBe(4);
  });

  it('are filled a pool at a time, and what is further away is out of reach', () => {
    const near = BigInt(widestGap);
    expect(noncesOf(0n, [near]).outOfReach()).toBeUndefined();
    expect(noncesOf(0n, [near]).gaps()).toHaveLength(widestGap);
    const far = noncesOf(0n, [1n, 40_000_000n, 40_000_001n]);
    expect(far.outOfReach()).toBe(40_000_000n);
    expect(far.gaps()).toHaveLength(widestGap);
    expect(far.next()).toBe(0n);
  });
});
