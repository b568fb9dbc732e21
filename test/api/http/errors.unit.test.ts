import { z } from '@hono/zod-openapi';
import { expect, it } from 'vitest';
import { fieldMessages } from '../../../src/api/http/errors.ts';

it('an error names a hundred of tens of thousands of mistakes', () => {
  const { error } = z.array(z.string()).safeParse(Array.from({ length: 50_000 }, () => 0));
  expect(error?.issues).toHaveLength(50_000);
  expect(Object.keys(fieldMessages(error?.issues ?? []))).toHaveLength(100);
});
