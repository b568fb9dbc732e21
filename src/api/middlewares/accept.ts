import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Answers 406 to a request for another version than 2 (docs/api.md, Versioning). Throws `not_acceptable`. */
export const accept: Middleware = async (context, next) => {
  if (!acceptsVersion2(context.req.header('Accept'))) throw notAcceptable();
  await next();
};

/** Version 2 of any vendor, or anything that names no version: whoever asks for HTML understands JSON better than a refusal (RFC 9110, section 12.5.1). */
const version2 = /^(?!application\/vnd\.)|^application\/vnd\.[^\s/+;]+\.api-v2\+json$/;

/** Whether one of the media ranges of an `Accept` header, with a quality above zero, is not another version of this API. */
export function acceptsVersion2(header: string | undefined): boolean {
  if (header === undefined || header.trim() === '') return true;
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return version2.test(type) && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}

function notAcceptable(): StopError {
  return new StopError({
    code: 'not_acceptable',
    message: 'Only version 2 is served: send Accept: application/vnd.<service>.api-v2+json, application/json or no Accept header',
  });
}
