/** V8's memory flags for the Mintrail process with a command line: see node-runtime.mjs. */
export function memoryFlags(args: readonly string[]): string[];
/** Folder in which Node keeps the code that it has compiled: see node-runtime.mjs. */
export const compileCache: string;
