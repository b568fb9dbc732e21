/** Exit codes of `pdf-process.ts`. */
export const pdfExit = { opens: 0, doesNotOpen: 10, needsPassword: 11 } as const;

/** Signals by which it ends itself: its watcher is a thread, and only a signal ends the whole process from there. */
export const pdfSignal = { tooMuchMemory: 'SIGKILL', tooSlow: 'SIGTERM' } as const;
