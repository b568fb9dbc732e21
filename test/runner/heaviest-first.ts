import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { longFilesMs } from './long-files.ts';
import type { TestGroup } from './test-groups.ts';

/** What a file of a group may take before it has been measured on this machine, in milliseconds. */
const estimatesMs: Record<TestGroup, number> = { scenarios: 30_000, processes: 10_000, database: 1_000, units: 500 };

/** A file that takes longer than this must not be among the last, in milliseconds: the cores would wait for it. */
const heavyMs = 4_000;

/**
 * Runs the heaviest files first, by the durations of the run before, or on a clean clone by what is known of them. The light
 * ones follow group by group, so that those of a group share processes.
 */
export class HeaviestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranked = files.map((file) => ({ file, ...this.rank(file) }));
    ranked.sort(
      (a, b) =>
        a.order - b.order ||
        Number(b.durationMs > heavyMs) - Number(a.durationMs > heavyMs) ||
        (a.durationMs > heavyMs ? 0 : a.group.localeCompare(b.group)) ||
        b.durationMs - a.durationMs,
    );
    return ranked.map(({ file }) => file);
  }

  private rank(file: TestSpecification) {
    const { name, config } = file.project;
    const group = name as TestGroup;
    const measured = this.ctx.cache.getTestSpecificationResult(file);
    return {
      order: config.sequence.groupOrder,
      group,
      durationMs: measured?.duration ?? longFilesMs[path.relative(config.root, file.moduleId)] ?? estimatesMs[group],
    };
  }
}
