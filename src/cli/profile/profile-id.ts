import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';

/** The id of a profile in small letters. Throws `not_found` for a text that is not an id. */
export function requireProfileId(id: string): string {
  if (!isUuid(id)) throw unknownProfile(id);
  return id.toLowerCase();
}

/** The error `not_found`. */
export function unknownProfile(id: string): StopError {
  return new StopError({ code: 'not_found', message: `There is no profile ${id}; \`mintrail profile list\` lists them` });
}

/** Who may change the profiles of customers, and read their documents. */
export const reviewers = ['reviewer', 'administrator'] as const;
