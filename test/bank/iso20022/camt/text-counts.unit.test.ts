import { expect, test } from 'vitest';
import { createTextCounts } from '../../../../src/bank/iso20022/camt/text-counts.ts';

test('counts as a map does, through many enlargements', () => {
  const counts = createTextCounts();
  const expected = new Map<string, number>();
  const differing: string[] = [];
  for (let step = 0; step < 20_000; step += 1) {
    const text = `REF-${(step * 7_919) % 6_000}`;
    if (counts.get(text) !== (expected.get(text) ?? 0)) differing.push(text);
    const count = (expected.get(text) ?? 0) + 1;
    counts.set(text, count);
    expected.set(text, count);
  }
  for (const [text, count] of expected) if (counts.get(text) !== count) differing.push(text);
  expect(differing).toEqual([]);
  expect(counts.get('another')).toBe(0);
});
