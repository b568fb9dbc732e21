import { readFile } from 'node:fs/promises';
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { pdfExit, pdfSignal } from './pdf-exit.ts';

// A program of its own, which `open-pdf.ts` starts: a file that is made for it can keep a parser busy for ever, or fill the memory.

/** What the process may take. */
interface Limits {
  bytes: number;
  milliseconds: number;
}

const limits: Limits = { bytes: 400_000_000, milliseconds: 5_000 };

if (isMainThread) process.exit(await open(process.argv[2] ?? ''));
else watch(workerData as Limits);

/** Opens the file, and its first page. Streams unpack in loops that nothing interrupts, so a thread watches. */
async function open(file: string): Promise<number> {
  const watcher = new Worker(new URL(import.meta.url), { workerData: limits });
  await new Promise((resolve) => watcher.once('online', resolve));
  const { getDocumentProxy } = await import('unpdf');
  try {
    const document = await getDocumentProxy(new Uint8Array(await readFile(file)), { useSystemFonts: false });
    await document.getPage(1);
    return pdfExit.opens;
  } catch (error) {
    return (error as Error).name === 'PasswordException' ? pdfExit.needsPassword : pdfExit.doesNotOpen;
  }
}

/** Ends the process when it takes more than its limits. Buffers are outside the heap, which alone Node can limit. */
function watch({ bytes, milliseconds }: Limits): void {
  const startedAt = Date.now();
  setInterval(() => {
    if (process.memoryUsage.rss() > bytes) process.kill(process.pid, pdfSignal.tooMuchMemory);
    if (Date.now() - startedAt > milliseconds) process.kill(process.pid, pdfSignal.tooSlow);
  }, 20);
}
