#!/usr/bin/env node
// The command `mintrail`. The program needs Node 24 and its memory flags; this file also runs on Node 20, and starts it.
import { fileURLToPath } from 'node:url';
import { becomeNode, hasMemoryFlags, useCompileCache } from './node-runtime.mjs';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

try {
  if (Number.parseInt(process.versions.node, 10) >= 24 && hasMemoryFlags()) {
    useCompileCache();
    await import('./main.ts');
  } else process.exitCode = await becomeNode([main, ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.code === 'ERR_MODULE_NOT_FOUND' ? `${error.message}\nThe dependencies are not installed: run npm ci` : error.message);
  process.exitCode = 1;
}
