import { type Hex, TransactionReceiptNotFoundError } from 'viem';
import { describe, expect, it } from 'vitest';
import { createEndpointAnswers, firstReceipt } from '../../../src/chain/evidence/endpoint-answers.ts';
import { examineTransaction } from '../../../src/chain/evidence/mined-transaction.ts';
import { createMethodFailures } from '../../../src/chain/endpoints/method-failures.ts';
import type { Endpoint } from '../../../src/chain/endpoints/endpoints.ts';

const hash: Hex = '0x01';

/** An endpoint whose block 7 has the transaction; `asked` counts what it was asked. */
function fakeEndpoint(name: string) {
  const state = { blockHash: '0xaa', receiptIn: '0xaa' as string | undefined, isDown: false, asked: [] as string[] };
  const say = async <Answer>(question: string, answer: () => Answer): Promise<Answer> => {
    state.asked.push(question);
    if (state.isDown) throw new Error('it is down');
    return answer();
  };
  const rpc = {
    getTransactionReceipt: () =>
      say('receipt', () => {
        if (state.receiptIn === undefined) throw new TransactionReceiptNotFoundError({ hash });
        return { transactionHash: hash, blockNumber: 7n, blockHash: state.receiptIn, status: 'success', logs: [] };
      }),
    getBlock: ({ blockNumber }: { blockNumber: bigint }) => say(`block ${blockNumber}`, () => ({ hash: state.blockHash })),
  };
  return { state, endpoint: { name, rpc } as unknown as Endpoint };
}

function headAt(block: Hex, options = {}) {
  const head = { newest: block, parent: '0x' as Hex, number: 9n };
  const answers = createEndpointAnswers(
    { block: () => ({ number: head.number, hash: head.newest, parentHash: head.parent, baseFeePerGas: 0n }) },
    options,
  );
  return { head, answers };
}

describe('an endpoint that lacks the receipt of a transaction that a quorum has', () => {
  it('is asked last for receipts for ten seconds, and known when it lacks one again', async () => {
    const clock = { now: 0 };
    const three = ['first', 'second', 'third'].map((name) => {
      const failures = createMethodFailures(() => clock.now);
      const { state, endpoint } = fakeEndpoint(name);
      return { state, failures, endpoint: { ...endpoint, health: { failures } } as Endpoint };
    });
    const [first] = three as [(typeof three)[number]];
    first.state.receiptIn = undefined;
    const examine = async () => {
      const witnesses = three.map(({ endpoint }) => ({ endpoint, upTo: 8n }));
      expect(await examineTransaction(createEndpointAnswers(), witnesses, 2, hash)).toMatchObject({ verdict: 'mined' });
      return first.state.asked.length;
    };
    expect(await examine()).toBe(1);
    clock.now = 9_999;
    expect(await examine()).toBe(1);
    expect(first.failures.lasting()).toBeUndefined();
    clock.now = 10_000;
    expect(await examine()).toBe(2);
    expect(three.map(({ failures }) => failures.lasting()?.since)).toEqual([0, undefined, undefined]);
    clock.now = 70_000;
    expect(first.failures.lasting()).toBeUndefined();
  });
});

describe('the answers of endpoints', () => {
  it('are asked for once while the head is the same, whoever wants them, and of each endpoint', async () => {
    const { head, answers } = headAt('0x09');
    const [first, second] = [fakeEndpoint('first'), fakeEndpoint('second')];
    const witnesses = [first, second].map(({ endpoint }) => ({ endpoint, upTo: 8n }));
    await firstReceipt(answers, [first.endpoint, second.endpoint], hash);
    await Promise.all([examineTransaction(answers, witnesses, 2, hash), examineTransaction(answers, witnesses, 2, hash)]);
    expect([first.state.asked, second.state.asked]).toEqual([
      ['receipt', 'block 7'],
      ['receipt', 'block 7'],
    ]);
    head.newest = '0x0a';
    expect(await examineTransaction(answers, witnesses, 2, hash)).toMatchObject({ verdict: 'mined', blockNumber: 7n });
    expect(first.state.asked).toHaveLength(4);
  });

  it('stay true at the next block where the head is that of the only endpoint, and at no other', async () => {
    const { head, answers } = headAt('0x09', { isOnlyEndpoint: true });
    const { state, endpoint } = fakeEndpoint('only');
    const examine = () => examineTransaction(answers, [{ endpoint, upTo: 8n }], 1, hash);
    await answers.receipt(endpoint, hash);
    Object.assign(head, { newest: '0x0a', parent: '0x09' });
    await examine();
    expect(state.asked).toEqual(['receipt', 'block 7']);
    Object.assign(head, { newest: '0x0b', parent: '0x0a' });
    await examine();
    expect(state.asked).toEqual(['receipt', 'block 7', 'receipt']);
    // Another block follows the one before: the chain was reorganised.
    Object.assign(head, { newest: '0x1b', parent: '0x0a' });
    Object.assign(state, { blockHash: '0xbb', receiptIn: '0xbb' });
    expect(await examine()).toMatchObject({ verdict: 'mined', blockHash: '0xbb' });
  });

  it('of a block beyond the head are asked for again when another block comes in its place', async () => {
    const { head, answers } = headAt('0x06', { isOnlyEndpoint: true });
    head.number = 6n;
    const { state, endpoint } = fakeEndpoint('only');
    await answers.receipt(endpoint, hash);
    Object.assign(state, { blockHash: '0xbb', receiptIn: '0xbb' });
    Object.assign(head, { newest: '0xbb', parent: '0x06', number: 7n });
    expect(await answers.receipt(endpoint, hash)).toMatchObject({ blockHash: '0xbb' });
  });

  it('of a block beyond the head stay true when it becomes the head', async () => {
    const { head, answers } = headAt('0x06', { isOnlyEndpoint: true });
    head.number = 6n;
    const { state, endpoint } = fakeEndpoint('only');
    await answers.receipt(endpoint, hash);
    Object.assign(head, { newest: '0xaa', parent: '0x06', number: 7n });
    await answers.receipt(endpoint, hash);
    expect(state.asked).toEqual(['receipt']);
  });

  it('that there is no receipt, and outages, are not remembered', async () => {
    const { answers } = headAt('0x09');
    const { state, endpoint } = fakeEndpoint('first');
    state.receiptIn = undefined;
    expect(await answers.receipt(endpoint, hash)).toBeUndefined();
    state.isDown = true;
    await expect(answers.receipt(endpoint, hash)).rejects.toThrow('it is down');
    Object.assign(state, { isDown: false, receiptIn: '0xaa' });
    expect(await answers.receipt(endpoint, hash)).toMatchObject({ blockHash: '0xaa' });
  });

  it('are remembered by nobody who knows no head', async () => {
    const answers = createEndpointAnswers();
    const { state, endpoint } = fakeEndpoint('first');
    await answers.receipt(endpoint, hash);
    await answers.receipt(endpoint, hash);
    expect(state.asked).toHaveLength(2);
  });

  it('are asked for again when a reorganisation came between them', async () => {
    const { answers } = headAt('0x09');
    const { state, endpoint } = fakeEndpoint('first');
    await answers.receipt(endpoint, hash);
    Object.assign(state, { blockHash: '0xbb', receiptIn: '0xbb' });
    expect(await examineTransaction(answers, [{ endpoint, upTo: 8n }], 1, hash)).toMatchObject({ verdict: 'mined', blockHash: '0xbb' });
  });

  it('come from the next endpoint while one is down', async () => {
    const { answers } = headAt('0x09');
    const [first, second] = [fakeEndpoint('first'), fakeEndpoint('second')];
    first.state.isDown = true;
    expect(await firstReceipt(answers, [first.endpoint, second.endpoint], hash)).toMatchObject({ blockHash: '0xaa' });
    await expect(firstReceipt(answers, [first.endpoint], hash)).rejects.toThrow('it is down');
  });
});
