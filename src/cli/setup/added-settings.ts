import type { Environment } from '../../platform/settings.ts';
import { databasePassword } from '../secrets/create.ts';
import type { QuestionGroup } from './question.ts';

/** What a file did not have before, a line for each variable with its value, except of secrets; undefined where that is nothing. */
export function addedSettings(
  file: string,
  { before, written, groups }: { before: Environment; written: Readonly<Record<string, string>>; groups: readonly QuestionGroup[] },
): string | undefined {
  const questions = groups.flatMap((group) => group.questions);
  const secret = new Set([databasePassword, ...questions.filter(({ isSecret }) => isSecret).map(({ variable }) => variable)]);
  const added = Object.entries(written).filter(([name]) => !before[name]);
  if (added.length === 0) return undefined;
  return [`Added to ${file}:`, ...added.map(([name, value]) => (secret.has(name) ? `  ${name} (a secret)` : `  ${name}=${value}`))].join(
    '\n',
  );
}
