import { describe, expect, it } from 'vitest';

describe('a process that test files share', () => {
  it('starts no other process', () => {
    const { spawn, execFileSync } = process.getBuiltinModule('node:child_process');
    expect(() => spawn('true')).toThrow('is named *.process.test.ts');
    expect(() => execFileSync('true')).toThrow('is named *.process.test.ts');
  });
});
