import type { Operator } from '../../ledger/operators/operators.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { notWaiting } from '../../ledger/operators/approvals.ts';
import { beginCarryOut, type CarryOutAttempt, endCarryOut, extendCarryOut } from '../../ledger/operators/carry-out-attempts.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import { findOperator } from '../../ledger/operators/operators.ts';
import type { SignedInOperator } from '../../ledger/operators/sessions.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { MintrailError, StopError } from '../../platform/errors.ts';
import { parseInput, type PreparedVerb, requireAsRead } from '../../operations/prepare-verb.ts';
import { requireVerb } from '../../operations/registry.ts';
import { requireOneOf } from '../../operations/require-role.ts';
import type { Json, Verb, VerbContext } from '../../operations/verb.ts';
import { describeError } from '../http/error-response.ts';
import type { Live } from '../live/live.ts';

/** What every verb needs, and who is signed in: the approver, or another who carries out what was interrupted. */
export interface ActionDependencies extends Omit<VerbContext, 'operator' | 'approvedBy'> {
  live: Pick<Live, 'report'>;
  operator: SignedInOperator;
}

/** Does at once what takes no second person. A sign-out, a reset, a disablement and another role come before, and nothing is done, or after. */
export async function carryOutAtOnce(deps: ActionDependencies, { verb, input }: PreparedVerb): Promise<Json> {
  const { operator } = deps;
  const facts = await verb.lookUp?.(deps, input);
  return inOpenSession(deps.ledger, operator, async (ledger) => (await verb.carryOut({ ...deps, ledger }, input, facts)) ?? null);
}

/**
 * Carries out what is approved, exactly as it was asked for and approved, once: what came of it is recorded in the same transaction. Both operators must still be
 * allowed to at this moment, and it must still be what they read. After an outage or a crash it can be called again. Throws what the verb throws,
 * `not_as_shown`, `role_not_sufficient` and `not_signed_in`.
 */
export async function carryOutApproved(deps: ActionDependencies, id: string): Promise<Json> {
  const { ledger } = deps;
  const attempt = await inOpenSession(ledger, deps.operator, (tx) => beginCarryOut(tx, id));
  const stop = keepCarryingOut(ledger, attempt);
  try {
    const { approval, isIntact } = attempt;
    if (!isIntact) throw new StopError({ code: 'not_as_shown', message: `The approval ${id} is not what was approved` });
    const verb = requireVerb(approval.action);
    const requester = await requireStill(deps, approval.requestedBy, verb);
    const approver = await requireStill(deps, approval.decidedBy ?? '', verb);
    const input = await parseInput(verb, JSON.parse(approval.input));
    const context = { ...deps, operator: requester, approvedBy: approver.name };
    await requireAsRead(verb, context, input, approval.description);
    const facts = await verb.lookUp?.(context, input);
    const result = await inTransaction(ledger, async (tx) => {
      const done = (await verb.carryOut({ ...context, ledger: tx }, input, facts)) ?? null;
      const isRecorded = await endCarryOut(tx, attempt, {
        state: 'done',
        result: JSON.stringify(verb.isResultSecret === true ? null : done),
      });
      if (!isRecorded) throw notWaiting(id);
      return done;
    });
    deps.live.report([...verb.topics, 'approvals']);
    return result;
  } catch (error) {
    const { code, message } = describeError(error);
    const isFinal = error instanceof MintrailError ? !error.retryable : !isDatabaseOutage(error);
    await endCarryOut(ledger, attempt, { state: isFinal ? 'failed' : 'interrupted', errorCode: code, errorMessage: message });
    throw error;
  } finally {
    stop();
  }
}

/** How often an attempt says that it goes on: several times while it would count as interrupted otherwise. */
const extensionMs = 30_000;

/** Keeps an attempt from counting as interrupted until the returned function is called, such as while a large file is imported. */
export function keepCarryingOut(ledger: Ledger, attempt: CarryOutAttempt, everyMs = extensionMs): () => void {
  // What fails once is done again in time. When all fail, another attempt may begin, and only one of the two is recorded and stands.
  const timer = setInterval(() => void extendCarryOut(ledger, attempt).catch(() => {}), everyMs).unref();
  return () => clearInterval(timer);
}

/** An operator who may still ask for a verb. Throws `role_not_sufficient`. */
async function requireStill({ ledger }: Pick<VerbContext, 'ledger'>, name: string, verb: Verb): Promise<Operator> {
  const operator = await findOperator(ledger, name);
  if (!operator)
    throw new StopError({ code: 'role_not_sufficient', message: `The operator ${name} is disabled, so this is not carried out` });
  requireOneOf(verb.roles, operator.role);
  return operator;
}
