import path from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const shown = 10;

/** Prints the files that took longest, so that a test that becomes slow is seen in every run. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return;
    const durations = modules.map((module) => ({
      file: path.relative(module.project.config.root, module.moduleId),
      seconds: secondsOf(module),
    }));
    durations.sort((a, b) => b.seconds - a.seconds);
    console.log(`\nThe ${shown} slowest files:`);
    for (const { file, seconds } of durations.slice(0, shown)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`);
  }
}

/** Imports, set-up, tests and hooks: all for which the file kept a worker busy. */
function secondsOf(module: TestModule): number {
  const { prepareDuration, environmentSetupDuration, setupDuration, collectDuration, duration } = module.diagnostic();
  return (prepareDuration + environmentSetupDuration + setupDuration + collectDuration + duration) / 1_000;
}
