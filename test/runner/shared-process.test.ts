import { describe, expect, it } from 'vitest';

describe('a process that test files share', () => {
  it('starts no other process', () => {
    const { spawn, execFileSync } = process.getBuiltinModule('node:child_process');
    expect(() => spawn('true')).toThrow('test-groups.ts has to know');
    expect(() => execFileSync('true')).toThrow('test-groups.ts has to know');
  });
});
