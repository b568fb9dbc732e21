import { closeSync, existsSync, openSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { createReadStream } from 'node:fs';

/** Answers of an upstream, kept in a file. Only their positions are in memory. */
export interface AnswerFile {
  /** How many answers there are. */
  size(): number;
  /** The answer to a request; undefined when there is none. An answer may be null. */
  read(key: string): unknown;
  write(key: string, answer: unknown): void;
  close(): void;
}

/** Answers about many blocks are large and rarely wanted twice. */
const mostBytes = 1_000_000;

const newline = 10;

/** Opens a file of answers, which need not exist. A last line that is incomplete, from a process that was killed while it wrote, is cut off. */
export async function openAnswerFile(file: string): Promise<AnswerFile> {
  const positions = new Map<string, { start: number; length: number }>();
  let end = 0;
  if (existsSync(file)) {
    end = await readLines(file, (start, line) => {
      const key = keyOf(line);
      if (key !== undefined) positions.set(key, { start, length: line.length });
    });
    if (end < statSync(file).size) truncateSync(file, end);
  }
  const descriptor = openSync(file, 'a+', 0o600);
  return {
    size: () => positions.size,
    read(key) {
      const position = positions.get(key);
      if (!position) return undefined;
      const line = Buffer.alloc(position.length);
      readSync(descriptor, line, 0, position.length, position.start);
      return (JSON.parse(line.toString()) as [string, unknown])[1];
    },
    write(key, answer) {
      const line = Buffer.from(`${JSON.stringify([key, answer])}\n`);
      if (line.length > mostBytes || positions.has(key)) return;
      writeSync(descriptor, line);
      positions.set(key, { start: end, length: line.length - 1 });
      end += line.length;
    },
    close: () => closeSync(descriptor),
  };
}

/** Calls back with each complete line and its position. Returns the position behind the last one. */
async function readLines(file: string, each: (start: number, line: Buffer) => void): Promise<number> {
  let start = 0;
  let rest = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    rest = Buffer.concat([rest, chunk as Buffer]);
    for (let at = rest.indexOf(newline); at >= 0; at = rest.indexOf(newline)) {
      each(start, rest.subarray(0, at));
      start += at + 1;
      rest = rest.subarray(at + 1);
    }
  }
  return start;
}

function keyOf(line: Buffer): string | undefined {
  try {
    return (JSON.parse(line.toString()) as [string])[0];
  } catch {
    return undefined;
  }
}
