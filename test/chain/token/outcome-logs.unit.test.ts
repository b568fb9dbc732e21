import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex, pad, parseEventLogs } from 'viem';
import { expect, it } from 'vitest';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { outcomesOf } from '../../../src/chain/token/outcome-logs.ts';
import { hexToUuid } from '../../../src/platform/uuid.ts';

const address = '0x00000000000000000000000000000000000000Ee';
const values: Record<string, unknown> = {
  orderId: '0x018f3f9e7c1d7a2b8c3d4e5f60718293',
  account: '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  amount: 2n ** 255n + 7n,
  sequence: 2n ** 64n - 1n,
  messageHash: `0x${'9a'.repeat(32)}`,
  reason: 5,
};

const abi: readonly AbiEvent[] = eMoneyTokenAbi.filter((item) => item.type === 'event');
const names = ['Issued', 'IssueRefused', 'Redeemed', 'RedemptionRefused'];

function logOf(event: AbiEvent) {
  const inputs = event.inputs.filter(({ indexed }) => indexed !== true);
  const topics = encodeEventTopics({ abi: [event], args: values }) as [Hex];
  return {
    address,
    topics,
    data: encodeAbiParameters(
      inputs,
      inputs.map(({ name }) => values[name ?? '']),
    ),
  } as const;
}

it('reads each event of the contract as its ABI has it', () => {
  const events = abi.filter(({ name }) => names.includes(name));
  expect(events.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  for (const event of events) {
    const log = logOf(event);
    const [decoded] = parseEventLogs({ abi: [event], logs: [log as never] }) as unknown as { args: Record<string, never> }[];
    const { orderId, account, amount, sequence = null, messageHash = null, reason = null } = decoded?.args ?? {};
    expect(outcomesOf([log])).toEqual([
      {
        kind: event.name.startsWith('Issue') ? 'issue' : 'redeem',
        token: address.toLowerCase(),
        orderId: hexToUuid(String(orderId).slice(2)),
        account: String(account).toLowerCase(),
        amount,
        sequence,
        messageHash,
        refusal: reason,
      },
    ]);
  }
});

it('leaves out logs that are not of these events, and those that only look like them', () => {
  const issued = logOf(abi.find(({ name }) => name === 'Issued') as AbiEvent);
  const [signature, ...indexed] = issued.topics as readonly Hex[] as [Hex, Hex, Hex];
  expect(
    outcomesOf([
      { ...issued, topics: [] },
      { ...issued, topics: [pad('0x1'), ...indexed] },
      { ...issued, topics: [signature] },
    ]),
  ).toEqual([]);
  expect(
    outcomesOf([
      { ...issued, data: `${issued.data}${'00'.repeat(32)}` },
      { ...issued, data: '0x' },
    ]),
  ).toEqual([]);
});
