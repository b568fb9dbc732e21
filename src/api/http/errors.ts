import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { StopError } from '../../platform/errors.ts';
import '../../platform/validation-messages.ts';

/** 400 with one text per invalid field, and what more is known of it (docs/api.md, Errors). */
export function invalid(fields: Record<string, string>, details?: Record<string, string>): StopError {
  return new StopError({ code: 'invalid_request', message: 'Validation errors', fields, ...(details ? { details } : {}) });
}

/** 415 with what is to be sent instead, by the header, or `body` (docs/api.md, Errors). */
export function unsupportedType(fields: Record<string, string>): StopError {
  return new StopError({ code: 'unsupported_media_type', message: 'Unsupported media type', fields });
}

/** 401 with a challenge: no bearer token, or one that is unknown, expired or revoked. */
export function notAuthenticated(context: Context): StopError {
  const isSent = /^bearer\b/i.test(context.req.header('Authorization') ?? '');
  challengeBearer(context, isSent ? 'invalid_token' : undefined);
  return new StopError({ code: 'not_authenticated', message: 'Not authenticated' });
}

/** Says in the answer that a bearer token is needed, and of one that was sent what it lacks (RFC 6750, section 3). */
export function challengeBearer(context: Context, error?: 'invalid_token' | 'insufficient_scope'): void {
  context.header('WWW-Authenticate', `Bearer realm="API"${error === undefined ? '' : `, error="${error}"`}`);
}

/** 403: the resource does not exist or belongs to somebody else; both get the same answer. */
export function notAllowed(message: string): StopError {
  return new StopError({ code: 'not_allowed', message });
}

/** 404: no such endpoint, webhook subscription or delivery (docs/api.md, Errors). */
export function notFound(message: string): StopError {
  return new StopError({ code: 'not_found', message });
}

/** Invalid fields that an error names (docs/api.md, Errors): a small body can have tens of thousands. */
const maxFields = 100;

/** One text per invalid field, the first of each, of {@link maxFields} fields; `body` stands for the value as a whole. */
export function fieldMessages(issues: readonly z.core.$ZodIssue[]): Record<string, string> {
  const messages = new Map<string, string>();
  for (const { path, message } of issues) {
    const field = path.join('.') || 'body';
    if (!messages.has(field)) messages.set(field, message);
    if (messages.size === maxFields) break;
  }
  return Object.fromEntries(messages);
}
