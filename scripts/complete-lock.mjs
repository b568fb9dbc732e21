// Run this after `npm install` has written package-lock.json. When a registry lacks an optional package for another platform, npm omits it from
// the lock, and then `npm ci` rejects that lock everywhere. This script adds the missing entries (name, exact version, platform), which npm skips
// on all other platforms.
import { readFileSync, writeFileSync } from 'node:fs';

const platforms = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'sunos', 'aix', 'netbsd', 'openbsd'];
const processors = ['arm64', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x', 'arm', 'loong64', 'mips64el', 'wasm32'];

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (Object.keys(lock.packages).some((path) => path.endsWith(key)) || !/^\d/.test(version)) continue;
    const os = platforms.find((word) => name.includes(word));
    const cpu = processors.find((word) => name.includes(word));
    if (!os || !cpu) throw new Error(`the platform of ${name}@${version} is unknown: add it to package-lock.json by hand`);
    const libc = /musl/.test(name) ? { libc: ['musl'] } : /gnu/.test(name) ? { libc: ['glibc'] } : {};
    lock.packages[key] = { version, cpu: [cpu], ...libc, optional: true, os: [os], ...(entry.dev ? { dev: true } : {}) };
    added.push(`${name}@${version}`);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} entries added${added.length ? `: ${added.join(', ')}` : ''}`);
