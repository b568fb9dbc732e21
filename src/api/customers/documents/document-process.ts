import { readFile } from 'node:fs/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { DocumentKind } from './open-document.ts';
import { imageProblem } from './image-problem.ts';
import { pdfProblem } from './pdf-problem.ts';

// A program of its own, which `open-document.ts` starts: a file that is made for it can keep a parser busy for ever, or fill the memory.

/** What a kind of document may take of memory, in bytes, that of Node included. */
const memory: Readonly<Record<DocumentKind, number>> = { PDF: 400_000_000, image: 500_000_000 };

/** What the watcher enforces; the time counts from when the program is ready. */
interface Limits {
  bytes: number;
  processorMs: number;
}

if (isMainThread) await open(process.argv.slice(2) as [DocumentKind, string, string]);
else watch(workerData as Limits);

/** Opens the file and writes what came of it. Parsers run in loops that nothing interrupts, so a thread watches. */
async function open([kind, processorMs, path]: [DocumentKind, string, string]): Promise<void> {
  const limits: Limits = { bytes: memory[kind], processorMs: Number(processorMs) };
  await (kind === 'PDF' ? import('unpdf').then(({ getResolvedPDFJS }) => getResolvedPDFJS()) : import('sharp'));
  const watcher = new Worker(new URL(import.meta.url), { workerData: limits });
  await new Promise((resolve) => watcher.once('online', resolve));
  const startMs = spentMs();
  const content = await readFile(path);
  const problem = await (kind === 'PDF' ? pdfProblem(content) : imageProblem(content));
  process.stdout.write(JSON.stringify({ problem, processorMs: spentMs() - startMs }), () => process.exit(0));
}

/**
 * Ends the process when it takes more than its limits. Buffers are outside the heap, which alone Node can limit. The time is that of a processor: a
 * busy machine makes no file costly.
 */
function watch({ bytes, processorMs }: Limits): void {
  const startMs = spentMs();
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes || spentMs() - startMs > processorMs) process.kill(process.pid, 'SIGKILL');
  }, 20);
}

/** Milliseconds of a processor that the process has taken. */
function spentMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
