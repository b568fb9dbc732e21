import { StopError } from '../../platform/errors.ts';
import type { Asker } from './asker.ts';

type Values = Record<string, string>;

/**
 * Asks before values of the file are replaced. After a No of a person they stay, and all other answers are written. Returns whether they stay. Throws
 * `not_confirmed` when a file of answers replaces some without `--yes`.
 */
export async function keepOther(asker: Asker, before: Readonly<Values>, values: Values, file: string): Promise<boolean> {
  const replaced = Object.entries(before).filter(([name, value]) => value !== '' && (values[name] ?? value) !== value);
  const names = replaced.map(([name]) => name).join(', ');
  if (replaced.length === 0 || (await asker.confirm(`Replace ${names} in ${file}? No keeps them, and writes the other answers`)))
    return false;
  if (!asker.isPerson)
    throw new StopError({
      code: 'not_confirmed',
      message: `Nothing was written: ${file} has other values of ${names}. Confirm on a terminal, or add --yes`,
    });
  Object.assign(values, Object.fromEntries(replaced));
  return true;
}
