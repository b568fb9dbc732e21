import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Answers 406 to a request for another version than 2 (docs/api.md, Versioning). Throws `not_acceptable`. */
export const accept: Middleware = async (context, next) => {
  if (!acceptsVersion2(context.req.header('Accept'))) throw notAcceptable();
  await next();
};

/** Answers 406 to a request for another version than 2, on the order stream, which has its own media type too (docs/api.md, Versioning). Throws `not_acceptable`. */
export const acceptStream: Middleware = async (context, next) => {
  const header = context.req.header('Accept');
  if (!acceptsVersion2(header) && !accepts(header ?? '', eventStream)) throw notAcceptable();
  await next();
};

/** Version 2 of any vendor, or a media range that contains JSON. */
const version2 = /^(\*\/\*|application\/\*|application\/json|application\/vnd\.[^\s/+;]+\.api-v2\+json)$/;

const eventStream = /^text\/(\*|event-stream)$/;

/** Whether one of the media ranges of an `Accept` header, with a quality above zero, is version 2 of this API. */
export function acceptsVersion2(header: string | undefined): boolean {
  return header === undefined || header.trim() === '' || accepts(header, version2);
}

function accepts(header: string, mediaType: RegExp): boolean {
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return mediaType.test(type) && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}

function notAcceptable(): StopError {
  return new StopError({
    code: 'not_acceptable',
    message: 'Only version 2 is served: send Accept: application/vnd.<service>.api-v2+json, application/json or no Accept header',
  });
}
