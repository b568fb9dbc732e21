import { StopError } from '../platform/errors.ts';
import type { OperatorRole } from '../schema/states.ts';

/** Throws `role_not_sufficient` unless the role is one of these. */
export function requireOneOf(roles: readonly OperatorRole[], role: OperatorRole): void {
  if (roles.includes(role)) return;
  throw new StopError({ code: 'role_not_sufficient', message: `Your role, ${role}, does not allow this. It takes: ${roles.join(', ')}` });
}
