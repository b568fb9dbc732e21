#!/usr/bin/env node
// Stands in for a native solc: runs the npm package solc with the two command lines that forge uses.
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
  console.error(`scripts/solc.mjs supports --version and --standard-json, not: ${args.join(' ')}`);
  process.exit(1);
}

// forge asks for the version before every build, and loading the compiler takes a second, so the answer is cached beside the compiler.
function version() {
  const { version: release } = require('solc/package.json');
  const directory = path.join(path.dirname(require.resolve('solc/package.json')), '..', '.cache');
  const cached = path.join(directory, `solc-version-${release}`);
  if (fs.existsSync(cached)) {
    const text = fs.readFileSync(cached, 'utf8');
    if (text.startsWith(release)) return text;
  }
  const answer = require('solc').version();
  fs.mkdirSync(directory, { recursive: true });
  fs.writeFileSync(cached, answer);
  return answer;
}

// A pipe buffers 64 kB. When it is full, writing fails with EAGAIN until the reader has caught up.
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
