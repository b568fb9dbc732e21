import { existsSync } from 'node:fs';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';

/** Newest blocks that are kept, empty or not: several times as many as indexers take for replaceable. */
const keptBlocks = 1_000;

/** A larger state is full of transactions, which stay. A text of more than 512 MB cannot be read at once. */
const mostBytes = 256 * 1_024 * 1_024;

interface StoredBlock {
  header: { number: string };
  transactions: unknown[];
}

/**
 * Drops old empty blocks from the stored state of a chain that does not run: Anvil holds every block in memory, and their hashes in the state behind each.
 * Blocks with transactions stay, with their logs and receipts, and the first two, by which the chain is recognised. Throws what the file system throws.
 */
export async function dropOldBlocks(file: string): Promise<void> {
  if (!existsSync(file) || (await stat(file)).size > mostBytes) return;
  const state = JSON.parse(await readFile(file, 'utf8')) as { blocks: StoredBlock[] };
  const numbers = state.blocks.map(numberOf).sort((a, b) => a - b);
  const [second = 0, oldest = 0] = [numbers[1], numbers.at(-keptBlocks)];
  const blocks = state.blocks.filter((block) => block.transactions.length > 0 || numberOf(block) >= oldest || numberOf(block) <= second);
  if (blocks.length === state.blocks.length) return;
  await writeFile(`${file}.new`, JSON.stringify({ ...state, blocks }));
  await rename(`${file}.new`, file);
}

function numberOf({ header }: StoredBlock): number {
  return Number(header.number);
}
