import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { parsePaymentMessage } from '../../src/ledger/orders/payment-message.ts';
import { startLocalChain } from '../support/chain/local-chain.ts';
import { createMessageMaker } from '../support/payment-messages.ts';
import { forWholeFile } from '../support/for-whole-file.ts';

const CONTRACTS = path.join(import.meta.dirname, '../../contracts');
const PARSER = '0x00000000000000000000000000000000000a11ce';
/** `MESSAGES=100000` compares more. */
const MESSAGES = Number(process.env.MESSAGES ?? 10_000);
const PER_CALL = 5_000;

const abi = parseAbi(['function parseAll(bytes messages, uint256 count) view returns (bytes32[])']);
const malformed = '0'.repeat(64);

const chain = forWholeFile(() => startLocalChain({ args: ['--gas-limit', '1000000000', '--no-request-size-limit'] }));

beforeAll(async () => {
  await chain.setCode({ address: PARSER, bytecode: compileParser() });
});

test(`the parsers in TypeScript and Solidity read ${MESSAGES} messages alike`, async () => {
  const seed = Number(process.env.SEED ?? Date.now());
  const next = createMessageMaker(seed);
  let wellFormed = 0;
  for (let done = 0; done < MESSAGES; done += PER_CALL) {
    const messages = Array.from({ length: PER_CALL }, next);
    const onChain = await parseOnChain(messages);
    const here = messages.map(parseHere);
    wellFormed += here.filter((reading) => reading !== malformed).length;
    const differing = messages.findIndex((_, index) => here[index] !== onChain[index]);
    expect(
      { message: messages[differing], read: onChain[differing] },
      `SEED=${seed}: ${JSON.stringify(messages[differing])} is read differently`,
    ).toEqual({ message: messages[differing], read: here[differing] });
  }
  expect(wellFormed / MESSAGES).toBeGreaterThan(0.3);
  expect(wellFormed / MESSAGES).toBeLessThan(0.9);
});

/** A reading as MessageParser.sol packs it: currency (3 bytes), minor units (8), seconds since 1970 (21). */
function parseHere(message: string): string {
  const parsed = parsePaymentMessage(message);
  if (!parsed) return malformed;
  const seconds = BigInt.asUintN(168, BigInt(Math.floor(parsed.time / 1_000)));
  return (
    Buffer.from(parsed.currency).toString('hex') + parsed.amount.toString(16).padStart(16, '0') + seconds.toString(16).padStart(42, '0')
  );
}

async function parseOnChain(messages: readonly string[]): Promise<string[]> {
  const parts = messages.flatMap((message) => {
    const bytes = Buffer.from(message);
    return [Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes];
  });
  const packed = `0x${Buffer.concat(parts).toString('hex')}` as const;
  const data = encodeFunctionData({ abi, functionName: 'parseAll', args: [packed, BigInt(messages.length)] });
  const answer = await chain.call({ to: PARSER, data, gas: 900_000_000n });
  // Two words come before: where the array begins, and its length.
  return answer.data?.slice(2 + 128).match(/.{64}/g) ?? [];
}

/** Runtime code of contracts/test/support/MessageParser.sol. Compiled here: forge's build folder belongs to another test. */
function compileParser(): Hex {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const names = ['test/support/MessageParser.sol', 'src/PaymentMessage.sol'];
  const sources = Object.fromEntries(names.map((name) => [name, { content: readFileSync(path.join(CONTRACTS, name), 'utf8') }]));
  const settings = {
    optimizer: { enabled: true, runs: 250 },
    evmVersion: 'prague',
    outputSelection: { '*': { MessageParser: ['evm.deployedBytecode.object'] } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify({ language: 'Solidity', sources, settings }))) as {
    contracts: Record<string, Record<string, { evm: { deployedBytecode: { object: string } } }>>;
  };
  return `0x${output.contracts['test/support/MessageParser.sol']?.['MessageParser']?.evm.deployedBytecode.object}`;
}
