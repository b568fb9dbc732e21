import { bench } from 'vitest';
import { readStatement } from '../../../src/bank/iso20022/read-statement.ts';
import { largeStatement } from './large-statement.ts';

bench(
  'read a statement of 10,000 entries',
  async () => {
    for await (const _item of readStatement(largeStatement(10_000)));
  },
  { iterations: 5, warmupIterations: 1, time: 0 },
);
