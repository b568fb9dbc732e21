import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Whose files take longest comes first, so that none of them is waited for at the end. */
const order = ['scenario', 'sandbox', 'process', 'alone', 'db', 'unit'];

/** Takes by far the longest, and would be waited for alone if it began late. */
const longest = /operations-tour\.scenario\.test\.ts$/;

/**
 * Runs the files group by group, so that those of a group share processes, and within a group in another order each time: no file may depend on
 * what ran before it. Only the longest is always the first. `--sequence.seed` repeats the order that a run printed.
 */
export class RandomOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const ranked = files.map((file) => ({
      file,
      group: order.indexOf(file.project.name),
      rank: longest.test(file.moduleId) ? -1 : hash(`${seed}:${file.moduleId}`),
    }));
    return ranked.toSorted((a, b) => a.group - b.group || a.rank - b.rank).map(({ file }) => file);
  }
}

/** FNV-1a of 32 bits with a last mix, so that seeds that follow each other give other orders. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value ^ (value >>> 13)) >>> 0;
}
