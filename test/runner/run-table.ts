import path from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';

const shown = 10;

/** Prints what ran at the end: the seconds and the tests of each group, the ten slowest files, and the seed of the order. */
export class RunTable implements Reporter {
  #seed = 0;

  onInit({ config }: Vitest): void {
    this.#seed = config.sequence.seed;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const files = modules.map((module) => ({
      file: path.relative(module.project.config.root, module.moduleId),
      group: module.project.name,
      tests: [...module.children.allTests()].length,
      seconds: secondsOf(module),
    }));
    if (files.length <= shown) return;
    console.log(`\nThe seconds that files kept a worker busy (order: --sequence.seed=${this.#seed})\n`);
    console.log('group       files   tests  seconds');
    for (const [group, ofGroup] of Map.groupBy(files, ({ group }) => group).entries()) print(group, ofGroup);
    print('all', files);
    console.log(`\nThe ${shown} slowest files:`);
    const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, shown);
    for (const { file, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
}

function print(group: string, files: { tests: number; seconds: number }[]): void {
  const sum = (of: 'tests' | 'seconds') => files.reduce((total, file) => total + file[of], 0);
  const cells = [files.length, sum('tests'), sum('seconds').toFixed(0)].map((cell) => String(cell).padStart(8));
  console.log(`${group.padEnd(9)}${cells.join('')}`);
}

/** Imports, set-up, tests and hooks: all for which the file kept a worker busy. */
function secondsOf(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration) / 1_000;
}
