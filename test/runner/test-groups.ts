import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The groups of test files, by what a file needs beside itself:
 * - `units`: nothing. They share processes.
 * - `database`: a database on the PostgreSQL that all tests share. They share processes too.
 * - `processes`: a process of its own, because it starts other processes (a chain, Redis, the command line) or measures its memory.
 * - `scenarios`: the whole service, unless it waits for it most of the time.
 */
export type TestGroup = 'units' | 'database' | 'processes' | 'scenarios';

const scenarios = 'test/scenarios/';

/** Scenarios that wait most of their time, such as for blocks: they run beside the `processes`, and leave the cores to them. */
const waitingScenarios = new Set([`${scenarios}operations-tour.test.ts`]);

/** Modules that start processes, or that ask V8 about the process they run in. */
const ownProcess = [/^node:child_process$/, /^playwright-core$/, /^node:v8$/, /^src\/platform\/process\//, /^src\/cli\/sandbox\//];

const database = /^test\/support\/database\.ts$/;

/** All test files, as paths from the project's root, in their groups. */
export function groupTestFiles(): Record<TestGroup, string[]> {
  const groups: Record<TestGroup, string[]> = { units: [], database: [], processes: [], scenarios: [] };
  for (const file of globSync('test/**/*.test.ts', { cwd: project })) groups[groupOf(file)].push(file);
  return groups;
}

/** The group of a test file, from the modules that it and its fixtures import: a new test needs no list. */
export function groupOf(file: string): TestGroup {
  if (file.startsWith(scenarios)) return waitingScenarios.has(file) ? 'processes' : 'scenarios';
  const modules = importedModules(file);
  if (modules.some((module) => ownProcess.some((pattern) => pattern.test(module)))) return 'processes';
  return modules.some((module) => database.test(module)) ? 'database' : 'units';
}

/** Everything that a test file imports, and what the files below `test/` among it import. Paths are from the project's root. */
function importedModules(file: string): string[] {
  const modules = new Set([file]);
  // The set grows while it is walked through.
  for (const module of modules) if (module.startsWith('test/')) for (const imported of importsOf(module)) modules.add(imported);
  return [...modules];
}

/** `import … from 'x'`, `import 'x'`, `export … from 'x'` and `import('x')`, but no import of types alone. */
const importPattern =
  /^(?:import\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?|export\s+(?!type\b)[*{][^'";]*?\bfrom\s+)['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm;

const importsByFile = new Map<string, string[]>();

function importsOf(file: string): string[] {
  const known = importsByFile.get(file);
  if (known) return known;
  const location = path.join(project, file);
  // Vitest says better than we could what imports a file that does not exist.
  const text = existsSync(location) ? readFileSync(location, 'utf8') : '';
  const imports = [...text.matchAll(importPattern)].map(([, statement, call]) => statement ?? call ?? '');
  const resolved = imports.map((name) => (name.startsWith('.') ? path.posix.join(path.posix.dirname(file), name) : name));
  importsByFile.set(file, resolved);
  return resolved;
}
