import { describe, expect, it } from 'vitest';
import { longFilesMs } from './long-files.ts';
import { groupOf, groupTestFiles } from './test-groups.ts';

describe('the group of a test file', () => {
  it('follows from what its fixtures import', () => {
    expect(groupOf('test/support/processes/redis.ts')).toBe('processes');
    expect(groupOf('test/support/chain/network.ts')).toBe('processes');
    expect(groupOf('test/support/database.ts')).toBe('database');
    expect(groupOf('test/runner/test-groups.test.ts')).toBe('units');
    expect(groupOf('test/scenarios/demo.test.ts')).toBe('scenarios');
    expect(groupOf('test/scenarios/operations-tour.test.ts')).toBe('processes');
  });

  it('is one for each file, and no group is empty', () => {
    const groups = Object.values(groupTestFiles());
    const files = groups.flat();
    expect(new Set(files).size).toBe(files.length);
    expect(files).toContain('test/runner/test-groups.test.ts');
    for (const group of groups) expect(group.length).toBeGreaterThan(0);
  });
});

it('the durations known beforehand are of files that exist', () => {
  const files = Object.values(groupTestFiles()).flat();
  for (const file of Object.keys(longFilesMs)) expect(files).toContain(file);
});
