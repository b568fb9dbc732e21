import {
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  deploylessCallViaBytecodeBytecode,
  encodeFunctionResult,
  type Hex,
  multicall3Abi,
} from 'viem';

/** A call within a multicall. */
interface InnerCall {
  to: Address;
  data: Hex;
}

/** The calls of a multicall that brings the code of Multicall3 along, as viem sends it to no address; undefined for any other calldata. */
export function readMulticall(data: Hex): InnerCall[] | undefined {
  if (!data.startsWith(deploylessCallViaBytecodeBytecode)) return undefined;
  const parameters = `0x${data.slice(deploylessCallViaBytecodeBytecode.length)}` as const;
  const [, multicall] = decodeAbiParameters([{ type: 'bytes' }, { type: 'bytes' }], parameters);
  const { args } = decodeFunctionData({ abi: multicall3Abi, data: multicall });
  const calls = args[0] as readonly { target: Address; callData: Hex }[];
  return calls.map(({ target, callData }) => ({ to: target.toLowerCase() as Address, data: callData }));
}

/** What Multicall3 returns when all calls succeed. */
export function encodeResults(results: readonly Hex[]): Hex {
  const result = results.map((returnData) => ({ success: true, returnData }));
  return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
}
