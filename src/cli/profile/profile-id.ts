import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';

/** The id of a profile in small letters. Throws `unknown_profile` for a text that is not an id. */
export function requireProfileId(id: string): string {
  if (!isUuid(id)) throw unknownProfile(id);
  return id.toLowerCase();
}

/** The error `unknown_profile`. */
export function unknownProfile(id: string): StopError {
  return new StopError({ code: 'unknown_profile', message: `There is no profile ${id}; \`mintrail profile list\` lists them` });
}
