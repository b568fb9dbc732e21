import type { Readable, Writable } from 'node:stream';
import { cancel, confirm, isCancel, log, password, text } from '@clack/prompts';
import { StopError } from '../../platform/errors.ts';
import { printableLines } from '../print.ts';
import type { Question } from './question.ts';

/** Where answers come from. */
export interface Asker {
  /** Says what the next questions are about. */
  begin(title: string): void;
  /** The answer; undefined for none. */
  ask(question: Question, known: string | undefined): Promise<string | undefined>;
  /** Shows what a check found, or why an answer is refused. */
  show(text: string): void;
  /** Whether a question is asked again after a wrong answer, and what did not answer is kept when somebody says so. */
  isPerson: boolean;
  confirm(question: string): Promise<boolean>;
}

/** Asks a person on the terminal, which shows no secret while it is typed. Throws `not_confirmed` when they end it. */
export function terminalAsker(terminal: { input?: Readable; output?: Writable } = {}): Asker {
  return {
    isPerson: true,
    begin: (title) => log.step(title, terminal),
    async ask({ variable, explanation, example, isOptional = false, isSecret = false, standard }, known) {
      const kept = known ?? standard;
      const shown = kept === undefined ? undefined : isSecret ? 'as it is' : kept;
      const hint = shown === undefined ? `such as ${example}${isOptional ? '; Enter leaves it out' : ''}` : `Enter keeps: ${shown}`;
      const message = printableLines(`${variable}\n${explanation}\n(${hint})`);
      const validate = (typed?: string) => ((typed ?? '').trim() === '' && kept === undefined && !isOptional ? 'It is needed' : undefined);
      const answer = isSecret
        ? await password({ ...terminal, message, validate })
        : await text({ ...terminal, message, placeholder: printableLines(shown ?? example), validate });
      if (isCancel(answer)) throw cancelled();
      return answer?.trim() || kept;
    },
    show: (lines) => log.message(printableLines(lines), terminal),
    async confirm(question) {
      const answer = await confirm({ ...terminal, message: printableLines(question), initialValue: false });
      if (isCancel(answer)) throw cancelled();
      return answer;
    },
  };
}

/** Takes the answers from variables, and asks nobody. `yes` answers every question for a confirmation. */
export function answersAsker(answers: Readonly<Record<string, string>>, yes: boolean, show: (text: string) => void): Asker {
  return {
    isPerson: false,
    begin: () => {},
    ask: async ({ variable, standard }, known) => answers[variable] || known || standard,
    show,
    confirm: async () => yes,
  };
}

function cancelled(): StopError {
  cancel('Nothing was written.');
  return new StopError({ code: 'not_confirmed', message: 'Nothing was written' });
}
