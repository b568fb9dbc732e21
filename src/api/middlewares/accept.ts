import { StopError } from '../../platform/errors.ts';
import type { Middleware } from '../api.ts';

/** Refuses a request that asks for another version than 2 with 406 (docs/api.md, Versioning). */
export const accept: Middleware = async (context, next) => {
  if (!acceptsVersion2(context.req.header('Accept'))) throw notAcceptable();
  await next();
};

/** The same for a stream of events, which has a media type of its own. */
export const acceptStream: Middleware = async (context, next) => {
  const header = context.req.header('Accept');
  if (!acceptsVersion2(header) && !accepts(header ?? '', eventStream)) throw notAcceptable();
  await next();
};

/** Any vendor's version 2, or a range that contains JSON. */
const servable = /^(\*\/\*|application\/\*|application\/json|application\/vnd\.[^\s/+;]+\.api-v2\+json)$/;

const eventStream = /^text\/(\*|event-stream)$/;

/** Whether one of the media ranges of an `Accept` header, with a quality above zero, is version 2 of this API. */
export function acceptsVersion2(header: string | undefined): boolean {
  return header === undefined || header.trim() === '' || accepts(header, servable);
}

function accepts(header: string, wanted: RegExp): boolean {
  return header.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return wanted.test(type) && !parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter));
  });
}

function notAcceptable(): StopError {
  return new StopError({
    code: 'not_acceptable',
    message: 'Only version 2 is served: send Accept: application/vnd.<service>.api-v2+json, application/json or no Accept header',
  });
}
