import { readFile } from 'node:fs/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import type { DocumentKind } from './open-document.ts';
import { imageProblem } from './image-problem.ts';
import { pdfProblem } from './pdf-problem.ts';

// A program of its own, which `open-document.ts` starts: a file that is made for it can keep a parser busy for ever, or fill the memory.

/** What a kind of document may take of memory, in bytes, that of Node included. */
const memory: Readonly<Record<DocumentKind, number>> = { PDF: 400_000_000, image: 500_000_000 };

/** What the watcher enforces. */
interface Limits {
  bytes: number;
  processorMs: number;
}

if (isMainThread) await open(process.argv.slice(2) as [DocumentKind, string, string]);
else watch(workerData as Limits);

/** Opens the file and writes what came of it. Parsers run in loops that nothing interrupts, so a thread watches. */
async function open([kind, processorMs, path]: [DocumentKind, string, string]): Promise<void> {
  const limits: Limits = { bytes: memory[kind], processorMs: Number(processorMs) };
  const watcher = new Worker(new URL(import.meta.url), { workerData: limits });
  await new Promise((resolve) => watcher.once('online', resolve));
  const content = await readFile(path);
  const problem = await (kind === 'PDF' ? pdfProblem(content) : imageProblem(content));
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify({ problem, processorMs: (user + system) / 1_000 }), () => process.exit(0));
}

/**
 * Ends the process when it takes more than its limits. Buffers are outside the heap, which alone Node can limit. The time is that of a processor: a
 * busy machine makes no file costly.
 */
function watch({ bytes, processorMs }: Limits): void {
  setInterval(() => {
    const { user, system } = process.cpuUsage();
    if (process.memoryUsage.rss() > bytes || (user + system) / 1_000 > processorMs) process.kill(process.pid, 'SIGKILL');
  }, 20);
}
