import { describe, expect, it } from 'vitest';
import { characters, line } from '../../src/wire/input-fields.ts';

describe('a name or a memo', () => {
  it.each(['\u0007', '\t', '\n', '\r', '\u001b', '\u007f', '\u0085', '\u009b'])('has no control character: %j', (character) => {
    for (const field of [line(70), characters(1, 70)]) {
      const { error } = field.safeParse(`Jane${character}Doe`);
      expect(error?.issues.map(({ message }) => message)).toEqual(['must not contain control characters']);
    }
  });

  it('has not lost a character before', () => {
    for (const field of [line(70), characters(1, 70)])
      expect(field.safeParse('J\uFFFDrg').error?.issues.map(({ message }) => message)).toEqual([
        'must not contain U+FFFD, which stands for a character that was lost before',
      ]);
  });

  it('may be in any script', () => {
    for (const name of ['Jón Þór', 'Αλέξανδρος', 'שלום', '🎉']) expect(characters(1, 70).parse(name)).toBe(name);
  });
});
