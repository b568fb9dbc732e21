import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { terminalAsker } from '../../../src/cli/setup/asker.ts';

/** Types an answer to a question, and returns it with all that the terminal has shown. */
async function typed(answer: string, isSecret: boolean) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let shown = '';
  output.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const asked = terminalAsker({ input, output }).ask(
    { variable: 'DATABASE_URL', explanation: 'The database.', example: 'x', isSecret },
    undefined,
  );
  for (const key of `${answer}\r`) input.write(key);
  return { answer: await asked, shown };
}

it('shows what is typed, except of a secret', async () => {
  const url = 'postgresql://mintrail:hunter2@db';
  const plain = await typed(url, false);
  expect(plain.answer).toBe(url);
  expect(plain.shown).toContain('hunter2');
  const secret = await typed(url, true);
  expect(secret.answer).toBe(url);
  expect(secret.shown).toContain('DATABASE_URL');
  for (let end = 3; end <= url.length; end += 1) expect(secret.shown).not.toContain(url.slice(end - 3, end));
});
