import { expect, it } from 'vitest';
import type { Asker } from '../../../src/cli/setup/asker.ts';
import { keepOther } from '../../../src/cli/setup/keep-other.ts';

/** A person who answers each question for a confirmation alike. */
function person(isConfirming: boolean, questions: string[] = []): Asker {
  return {
    isPerson: true,
    begin: () => {},
    ask: async (_, known) => known,
    show: () => {},
    confirm: async (question) => {
      questions.push(question);
      return isConfirming;
    },
  };
}

const before = { BANK_BIC: 'EXAMDEFF', MAIL_FROM: '', PORT: '3000' };

it('after a No what the file has stays, and the other answers are kept', async () => {
  const values = { BANK_BIC: 'OTHRDEFF', MAIL_FROM: 'a@money.example', BASE_URL: 'https://money.example' };
  const questions: string[] = [];
  expect(await keepOther(person(false, questions), before, values, '.env')).toBe(true);
  expect(questions).toEqual([expect.stringMatching(/^Replace BANK_BIC in .env\?/)]);
  expect(values).toEqual({ BANK_BIC: 'EXAMDEFF', MAIL_FROM: 'a@money.example', BASE_URL: 'https://money.example' });
});

it('after a Yes all answers are kept, and nothing is asked where nothing is replaced', async () => {
  const values = { BANK_BIC: 'OTHRDEFF' };
  expect(await keepOther(person(true), before, values, '.env')).toBe(false);
  expect(values).toEqual({ BANK_BIC: 'OTHRDEFF' });
  const questions: string[] = [];
  expect(await keepOther(person(false, questions), before, { BANK_BIC: 'EXAMDEFF' }, '.env')).toBe(false);
  expect(questions).toEqual([]);
});
