import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Opening, OpenFile } from './openings.ts';

/** Documents whose files open in the same way. */
export type DocumentKind = 'PDF' | 'image';

const program = fileURLToPath(new URL('./document-process.ts', import.meta.url));

/** It may read files and start its watcher, and nothing else: what takes a parser over gets no further (Node.js, Permission Model). */
const nodeOptions = ['--permission', '--allow-fs-read=*', '--allow-worker', '--max-old-space-size=192', '--no-warnings'];

/** The decoder of images is an addon. */
const options: Readonly<Record<DocumentKind, string[]>> = { PDF: nodeOptions, image: ['--allow-addons', ...nodeOptions] };

/** Milliseconds after which a process is ended that takes no processor. */
const longestMs = 60_000;

const answerSchema = z.object({ problem: z.string().optional(), processorMs: z.number() });

/**
 * Opens files of a kind, each in a process of its own, which is killed when it takes longer than `processorMs` of a processor, or too much memory. An
 * aborted signal ends the process; then it throws `AbortError`.
 */
export function openDocument(kind: DocumentKind): OpenFile {
  return async (file, { processorMs, signal }): Promise<Opening> => {
    const child = spawn(process.execPath, [...options[kind], program, kind, String(processorMs), file], {
      stdio: ['ignore', 'pipe', 'ignore'],
      env: {},
      signal,
      timeout: longestMs,
      killSignal: 'SIGKILL',
    });
    const [[code, endedBy], answer] = await Promise.all([
      once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>,
      text(child.stdout),
    ]);
    // Node ends itself by SIGABRT when its heap is full.
    if (endedBy === 'SIGKILL' || endedBy === 'SIGABRT')
      return { problem: `must be a simpler ${kind}: it takes too long or too much memory to open`, isOverLimit: true, processorMs };
    if (code !== 0) throw new Error(`the process that opens documents ended with ${code ?? endedBy}`);
    const { problem, processorMs: spentMs } = answerSchema.parse(JSON.parse(answer));
    return { problem, processorMs: spentMs, isOverLimit: false };
  };
}
