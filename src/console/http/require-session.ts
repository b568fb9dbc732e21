import { recordSessionUse } from '../../ledger/access/sessions.ts';
import { findOperatorSession } from '../../ledger/operators/sessions.ts';
import type { OperatorRole } from '../../schema/states.ts';
import { actAs } from '../../platform/acting.ts';
import { StopError } from '../../platform/errors.ts';
import { requireOneOf } from '../../operations/require-role.ts';
import type { ConsoleMiddleware } from '../console-env.ts';
import { readSessionSecret } from './session-cookie.ts';

const readingMethods = new Set(['GET', 'HEAD']);

/**
 * Requires a session. What the request changes is recorded as an act of its operator. Only what is more than reading counts as use of the session: a person
 * causes it, while open pages read by themselves. Throws `not_signed_in`.
 */
export const requireSession: ConsoleMiddleware = async (context, next) => {
  const { ledger, correlationId } = context.var;
  const secret = readSessionSecret(context);
  const operator = secret === undefined ? undefined : await findOperatorSession(ledger, secret);
  if (!operator) throw new StopError({ code: 'not_signed_in', message: 'You are not signed in, or your session has ended' });
  if (!readingMethods.has(context.req.method)) await recordSessionUse(ledger, operator.session);
  context.set('operator', operator);
  await actAs({ kind: 'operator', id: operator.name, correlationId }, next);
};

/**
 * Requires one of these roles. A route without it is for every role. Throws `role_not_sufficient`.
 * @public
 */
export function requireRole(...roles: readonly OperatorRole[]): ConsoleMiddleware {
  return async (context, next) => {
    requireOneOf(roles, context.var.operator.role);
    await next();
  };
}
