import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createFewAtOnce } from '../../../platform/limits/few-at-once.ts';
import { pdfExit, pdfSignal } from './pdf-exit.ts';

const program = fileURLToPath(new URL('./pdf-process.ts', import.meta.url));

/** It may read files and start its watcher, and nothing else: what takes a parser over gets no further (Node.js, Permission Model). */
const nodeOptions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--max-old-space-size=192', '--no-warnings'];

/** Each takes a processor and its memory while it opens. */
const fewAtOnce = createFewAtOnce(2);

/**
 * Why a file cannot be shown as a PDF (ISO 32000); `undefined` when it opens and has a page. A process of its own opens it, with ten seconds and
 * 400 MB. Throws `rate_limited` when too many wait.
 */
export function pdfProblem(file: string): Promise<string | undefined> {
  return fewAtOnce(async () => {
    const child = spawn(process.execPath, [...nodeOptions, program, file], { stdio: 'ignore', env: {} });
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    if (code === pdfExit.opens) return undefined;
    if (code === pdfExit.doesNotOpen) return 'must be a PDF that opens';
    if (code === pdfExit.needsPassword) return 'must be a PDF without a password';
    if (signal === pdfSignal.tooSlow) return 'must be a simpler PDF: it takes too long to open';
    // Node ends itself by SIGABRT when its heap is full.
    if (signal === pdfSignal.tooMuchMemory || signal === 'SIGABRT') return 'must be a simpler PDF: it takes too much memory to open';
    throw new Error(`the process that opens PDFs ended with ${code ?? signal}`);
  });
}
