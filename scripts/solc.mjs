#!/usr/bin/env node
// What forge takes for a native solc: the npm package solc, asked in the two ways that forge asks.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const args = process.argv.slice(2);

if (args.includes('--version')) {
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${version()}`);
} else if (args.includes('--standard-json')) {
  write(require('solc').compile(fs.readFileSync(0, 'utf8')));
} else {
  console.error(`scripts/solc.mjs answers --version and --standard-json, not: ${args.join(' ')}`);
  process.exit(1);
}

// forge asks before every build, and loading the compiler takes a second; so the answer is kept beside the compiler it belongs to.
function version() {
  const { version: release } = require('solc/package.json');
  const directory = path.join(path.dirname(require.resolve('solc/package.json')), '..', '.cache');
  const kept = path.join(directory, `solc-version-${release}`);
  if (fs.existsSync(kept)) {
    const text = fs.readFileSync(kept, 'utf8');
    if (text.startsWith(release)) return text;
  }
  const answer = require('solc').version();
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(kept, answer);
  return answer;
}

// A pipe takes 64 kB at a time; a full one says EAGAIN until its reader has caught up.
function write(text) {
  const bytes = Buffer.from(text);
  let offset = 0;
  while (offset < bytes.length) {
    try {
      offset += fs.writeSync(1, bytes, offset);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
