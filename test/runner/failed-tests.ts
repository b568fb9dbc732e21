import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, TestModule } from 'vitest/node';

/** Repeats at the very end, one line each, what failed: the reports above fill more lines than a CI keeps. */
export class FailedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly { message: string }[]): void {
    const lines = [...modules.flatMap(failuresOf), ...unhandledErrors.map((error) => `outside of tests: ${firstLine(error)}`)];
    if (lines.length > 0) console.log(['\nWhat failed:', ...lines.map((line) => `  ${line}`)].join('\n'));
  }
}

function failuresOf(module: TestModule): string[] {
  const file = path.relative(module.project.config.root, module.moduleId);
  const ofModule = module.errors().map((error) => `${file}: ${firstLine(error)}`);
  const suites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => `${file} > ${suite.fullName}: ${firstLine(error)}`),
  );
  const tests = [...module.children.allTests('failed')].flatMap((test) =>
    (test.result().errors ?? []).map((error) => `${file} > ${test.fullName}: ${firstLine(error)}`),
  );
  return [...ofModule, ...suites, ...tests];
}

function firstLine({ message }: { message: string }): string {
  return (stripVTControlCharacters(message).split('\n')[0] ?? '').slice(0, 300);
}
