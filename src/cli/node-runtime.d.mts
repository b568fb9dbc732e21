/** V8's memory, sized for a service: see node-runtime.mjs. */
export const memoryFlags: readonly string[];
export const compileCache: string;
