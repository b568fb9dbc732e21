import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { noRedis } from '../support/processes/redis.ts';
import { type OperatorsTour, prepareOperatorsTour } from './operators-tour.ts';

/** `npm run tour` walks with the waits of the page. */
const clock = process.env['TOUR'] === 'long' ? 'as documented' : 'short';

let tour: OperatorsTour;

beforeAll(() => {
  if (noRedis !== undefined) console.warn(noRedis);
  else tour = prepareOperatorsTour(mkdtempSync(path.join(tmpdir(), 'mintrail-operator-')), clock);
});
afterAll(() => tour?.end());

it.skipIf(noRedis !== undefined)(
  'takes an operator from an empty machine to money in and money out, and through the bad days, word by word',
  () => tour.follow("The operator's tour", 'Bad days of the token', 'Bad days of the machine'),
  1_800_000,
);
