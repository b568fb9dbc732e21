import {
  type Address,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  zeroHash,
} from 'viem';
import { timelockControllerAbi } from '../../../abis/timelockController.ts';
import { readIfSupported } from '../contract.ts';
import type { Rpc } from '../endpoints/rpc.ts';
import { scanLogs } from '../token/scan-logs.ts';

const abi = timelockControllerAbi;

/** What a timelock keeps as the time of an operation that was carried out. */
const doneTimestamp = 1n;

/** A call that a timelock makes after its delay. */
export interface TimelockOperation {
  target: Address;
  data: Hex;
  /** Tells operations with the same call apart. */
  salt: Hex;
}

/** An operation that was scheduled and not carried out. */
export interface ScheduledOperation extends TimelockOperation {
  /** Seconds since 1970 from which it can be carried out. */
  readyAt: bigint;
}

/** A call to a timelock that schedules an operation, to wait for `delay` seconds, or that carries it out. */
export type TimelockStep =
  | { step: 'schedule'; operation: TimelockOperation; delay: bigint }
  | { step: 'execute'; operation: TimelockOperation };

/** The seconds that the operations of a timelock wait; undefined when the contract is no timelock. Throws when the node does not answer. */
export function readTimelockDelay(rpc: Rpc, address: Address): Promise<bigint | undefined> {
  return readIfSupported(rpc, async () => {
    const [delay] = await Promise.all([
      rpc.readContract({ address, abi, functionName: 'getMinDelay' }),
      rpc.readContract({ address, abi, functionName: 'getTimestamp', args: [zeroHash] }),
    ]);
    return delay;
  });
}

/** Calldata of the timelock. */
export function encodeTimelockStep(step: TimelockStep): Hex {
  const { target, data, salt } = step.operation;
  const call = [target, 0n, data, zeroHash, salt] as const;
  return step.step === 'schedule'
    ? encodeFunctionData({ abi, functionName: 'schedule', args: [...call, step.delay] })
    : encodeFunctionData({ abi, functionName: 'execute', args: call });
}

/** The step that calldata makes. Undefined for calldata that `encodeTimelockStep` does not write, to the last byte. */
export function decodeTimelockStep(data: Hex): TimelockStep | undefined {
  try {
    const step = read(data);
    return step && encodeTimelockStep(step) === data.toLowerCase() ? step : undefined;
  } catch {
    return undefined;
  }
}

/** Which operations are looked for: those that call `target` with calldata that `matches`, scheduled from a block on. */
export interface OperationSearch {
  timelock: Address;
  target: Address;
  matches: (data: Hex) => boolean;
  fromBlock: bigint;
}

/** The matching operations that are not carried out yet, the oldest first. Throws what `scanLogs` throws. */
export async function scheduledOperations(
  rpc: Rpc,
  { timelock, target, matches, fromBlock }: OperationSearch,
): Promise<ScheduledOperation[]> {
  const scheduled = await scanLogs(rpc, fromBlock, (range) =>
    rpc.getContractEvents({ address: timelock, abi, eventName: 'CallScheduled', strict: true, ...range }),
  );
  const salts = await scanLogs(rpc, fromBlock, (range) =>
    rpc.getContractEvents({ address: timelock, abi, eventName: 'CallSalt', strict: true, ...range }),
  );
  const saltOf = new Map(salts.map(({ args }) => [args.id, args.salt]));
  const operations: ScheduledOperation[] = [];
  for (const { args } of scheduled) {
    if (args.target.toLowerCase() !== target.toLowerCase() || args.value !== 0n || args.predecessor !== zeroHash || !matches(args.data))
      continue;
    const operation = { target, data: args.data, salt: saltOf.get(args.id) ?? zeroHash };
    // A part of a batch has the id of the batch, which this command does not carry out.
    if (operationId(operation) !== args.id || operations.some(({ data, salt }) => data === operation.data && salt === operation.salt))
      continue;
    const readyAt = await rpc.readContract({ address: timelock, abi, functionName: 'getTimestamp', args: [args.id] });
    if (readyAt > doneTimestamp) operations.push({ ...operation, readyAt });
  }
  return operations;
}

/** What a timelock says of an operation: when it is ready (seconds since 1970), that it was carried out, or that it does not wait there. */
export async function readOperation(rpc: Rpc, timelock: Address, operation: TimelockOperation): Promise<bigint | 'done' | 'absent'> {
  const timestamp = await rpc.readContract({ address: timelock, abi, functionName: 'getTimestamp', args: [operationId(operation)] });
  if (timestamp === 0n) return 'absent';
  return timestamp === doneTimestamp ? 'done' : timestamp;
}

/** An operation with a salt that the timelock has not seen with this call. Throws when the node does not answer. */
export async function newOperation(rpc: Rpc, timelock: Address, target: Address, data: Hex): Promise<TimelockOperation> {
  for (let number = 0; ; number += 1) {
    const operation = { target, data, salt: numberToHex(number, { size: 32 }) };
    const timestamp = await rpc.readContract({ address: timelock, abi, functionName: 'getTimestamp', args: [operationId(operation)] });
    if (timestamp === 0n) return operation;
  }
}

function operationId({ target, data, salt }: TimelockOperation): Hex {
  const types = [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes' }, { type: 'bytes32' }, { type: 'bytes32' }] as const;
  return keccak256(encodeAbiParameters(types, [target, 0n, data, zeroHash, salt]));
}

function read(data: Hex): TimelockStep | undefined {
  const { functionName, args } = decodeFunctionData({ abi, data });
  if (functionName !== 'schedule' && functionName !== 'execute') return undefined;
  const [target, , call, , salt, delay] = args;
  const operation = { target, data: call, salt };
  return functionName === 'schedule' ? { step: 'schedule', operation, delay: delay as bigint } : { step: 'execute', operation };
}
