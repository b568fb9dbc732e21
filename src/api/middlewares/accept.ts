import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Refuses a request that asks for another version than 2 with 406 (specification, Versioning; wire facts, Tolerance). */
export const accept: Middleware = async (context, next) => {
  const header = context.req.header('Accept');
  if (!acceptsVersion2(header))
    throw new StopError({
      code: 'not_acceptable',
      message: 'Only version 2 is served: send Accept: application/vnd.<service>.api-v2+json, application/json or no Accept header',
    });
  await next();
};

/** Any vendor's version 2, or a range that contains JSON. */
const servable = /^(\*\/\*|application\/\*|application\/json|application\/vnd\.[^\s/+;]+\.api-v2\+json)$/;

/** Whether one of the media ranges of an `Accept` header, with a quality above zero, is version 2 of this API. */
export function acceptsVersion2(header: string | undefined): boolean {
  if (header === undefined || header.trim() === '') return true;
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return servable.test(type) && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}
