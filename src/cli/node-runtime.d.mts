/** V8's memory flags for the Mintrail process with a command line: see node-runtime.mjs. */
export function memoryFlags(args: readonly string[]): string[];
/** Environment of a Node that finds what others have compiled: see node-runtime.mjs. */
export const compileEnvironment: Record<string, string>;
/** Environment of a Mintrail process, behind what the operator sets: see node-runtime.mjs. */
export const processEnvironment: Record<string, string>;
