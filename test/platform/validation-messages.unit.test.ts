import { expect, it } from 'vitest';
import { z } from 'zod';
import '../../src/platform/validation-messages.ts';

const union = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })]);

it.each<[string, z.ZodType, unknown, string]>([
  ['a missing value', z.string(), undefined, 'is required'],
  ['a missing value of an enumeration', z.enum(['eur', 'usd']), undefined, 'is required'],
  ['another type', z.string(), 7, 'must be a string'],
  ['a fraction', z.number().int(), 1.5, 'must be an integer'],
  ['a value that is not the literal', z.literal('S256'), 'plain', 'must be S256'],
  ['a value that is none of some', z.enum(['eur', 'usd']), 'chf', 'must be one of eur, usd'],
  ['an unknown discriminator', union, { kind: 'c' }, 'must be one of a, b'],
  ['a text that is too short', z.string().min(2), 'x', 'must be at least 2 characters long'],
  ['a number that is too large', z.number().max(500), 501, 'must be at most 500'],
  ['an unknown key', z.strictObject({}), { chf: 1 }, 'must not have chf'],
  ['a format', z.email(), 'nobody', 'is not valid'],
  ["a schema's own message", z.literal('S256', 'must be the method S256'), 'plain', 'must be the method S256'],
])('words the issue of %s', (_, schema, value, message) => {
  expect(schema.safeParse(value).error?.issues[0]?.message).toBe(message);
});
