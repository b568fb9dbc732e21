import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { OpenFile } from './openings.ts';
import { pdfExit, pdfSignal } from './pdf-exit.ts';

const program = fileURLToPath(new URL('./pdf-process.ts', import.meta.url));

/** It may read files and start its watcher, and nothing else: what takes a parser over gets no further (Node.js, Permission Model). */
const nodeOptions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--max-old-space-size=192', '--no-warnings'];

/**
 * Opens a file as a PDF (ISO 32000), which has to have a page. A process of its own does so, with five seconds and 400 MB. An aborted signal ends
 * the process; then it throws `AbortError`.
 */
export const openPdf: OpenFile = async (file, signal) => {
  const child = spawn(process.execPath, [...nodeOptions, program, file], { stdio: 'ignore', env: {}, signal, killSignal: 'SIGKILL' });
  const [code, endedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (code === pdfExit.opens) return { problem: undefined };
  if (code === pdfExit.doesNotOpen) return { problem: 'must be a PDF that opens' };
  if (code === pdfExit.needsPassword) return { problem: 'must be a PDF without a password' };
  if (endedBy === pdfSignal.tooSlow) return { problem: 'must be a simpler PDF: it takes too long to open', isOverLimit: true };
  // Node ends itself by SIGABRT when its heap is full.
  if (endedBy === pdfSignal.tooMuchMemory || endedBy === 'SIGABRT')
    return { problem: 'must be a simpler PDF: it takes too much memory to open', isOverLimit: true };
  throw new Error(`the process that opens PDFs ended with ${code ?? endedBy}`);
};
