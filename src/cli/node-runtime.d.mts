/** V8's memory, sized for a service: see node-runtime.mjs. */
export const memoryFlags: readonly string[];
/** Folder in which Node keeps the code that it has compiled: see node-runtime.mjs. */
export const compileCache: string;
