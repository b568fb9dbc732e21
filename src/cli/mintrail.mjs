#!/usr/bin/env node
// The command `mintrail`. The program needs Node 24 and its memory flags; this file also runs on Node 20, and starts it.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { becomeNode, hasMemoryFlags, useCompileCache } from './node-runtime.mjs';

// A checkout has further commands, which run all of it on one machine.
const [checkout, service] = ['../../sandbox/main.ts', './main.ts'].map((file) => new URL(file, import.meta.url));
const main = existsSync(checkout) ? checkout : service;

try {
  if (Number.parseInt(process.versions.node, 10) >= 24 && hasMemoryFlags()) {
    useCompileCache();
    await import(main);
  } else process.exitCode = await becomeNode([fileURLToPath(main), ...process.argv.slice(2)]);
} catch (error) {
  console.error(error.code === 'ERR_MODULE_NOT_FOUND' ? `${error.message}\nThe dependencies are not installed: run npm ci` : error.message);
  process.exitCode = 1;
}
