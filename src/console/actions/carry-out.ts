import type { Operator } from '../../ledger/operators/operators.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { beginCarryOut, type CarryOutAttempt, endCarryOut, extendCarryOut, notWaiting } from '../../ledger/operators/approvals.ts';
import { inOpenSession } from '../../ledger/operators/open-session.ts';
import { findOperator } from '../../ledger/operators/operators.ts';
import type { SignedInOperator } from '../../ledger/operators/sessions.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { MintrailError, StopError } from '../../platform/errors.ts';
import { printable } from '../../platform/printable.ts';
import { invalidInput } from '../http/validated.ts';
import { describeError } from '../http/error-response.ts';
import { requireOneOf } from '../sign-in/require-session.ts';
import type { Action, ActionContext, Json } from './action.ts';
import { findAction } from './registry.ts';

/** What every action needs, and who is signed in: the approver, or another who carries out what was interrupted. */
export interface ActionDependencies extends Omit<ActionContext, 'operator' | 'approvedBy'> {
  operator: SignedInOperator;
}

/** An action by its name. Throws `unknown_action`. */
export function requireAction(name: string): Action {
  const action = findAction(name);
  if (action) return action;
  throw new StopError({ code: 'unknown_action', message: `The console has no action ${name}` });
}

/** Validates what was sent for an action. Throws `invalid_request`. */
export async function parseInput(action: Action, input: unknown): Promise<unknown> {
  const parsed = await action.input.safeParseAsync(input);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues);
}

/**
 * The sentence that says what an action would do, as a person reads it: in one line, with nothing in it that is not seen or turns round what follows.
 * Throws what describing the action throws.
 */
export async function describeAction(action: Action, context: ActionContext, input: unknown): Promise<string> {
  return asSentence(await action.describe(context, input));
}

/** One line, with what is not seen or turns round what follows written out. */
export function asSentence(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' '));
}

/**
 * Throws `action_not_as_read` unless the action would still do what somebody has read, word for word: between reading and carrying out, a payment may have
 * been sent, or an IBAN moved. Throws what describing the action throws.
 */
async function requireAsRead(action: Action, context: ActionContext, input: unknown, read: string): Promise<void> {
  const description = await describeAction(action, context, input);
  if (description !== read) throw notAsRead(description);
}

/** For an action that would do something else by now than what somebody has read. */
export function notAsRead(description: string): StopError {
  const message = `This has changed since it was read, and nothing was done. By now it would be: ${description}`;
  return new StopError({ code: 'action_not_as_read', message });
}

/** Does at once what takes no second person. A sign-out, a reset, a disablement and another role come before, and nothing is done, or after. */
export async function carryOutAtOnce(deps: ActionDependencies, action: Action, input: unknown): Promise<Json> {
  const { operator } = deps;
  const facts = await action.lookUp?.(deps, input);
  return inOpenSession(deps.ledger, operator, async (ledger) => (await action.carryOut({ ...deps, ledger }, input, facts)) ?? null);
}

/**
 * Carries out what is approved, exactly as it was asked for and approved, once: what came of it is recorded in the same transaction. Both operators must still be
 * allowed to at this moment, and it must still be what they read. After an outage or a crash it can be called again. Throws what the action throws,
 * `action_not_as_read`, `approval_not_waiting` and `not_signed_in`.
 */
export async function carryOutApproved(deps: ActionDependencies, id: string): Promise<Json> {
  const { ledger } = deps;
  const attempt = await inOpenSession(ledger, deps.operator, (tx) => beginCarryOut(tx, id));
  const stop = keepCarryingOut(ledger, attempt);
  try {
    const { approval, isIntact } = attempt;
    if (!isIntact) throw new StopError({ code: 'approval_not_waiting', message: `The approval ${id} is not what was approved` });
    const action = requireAction(approval.action);
    const requester = await requireStill(deps, approval.requestedBy, action);
    const approver = await requireStill(deps, approval.decidedBy ?? '', action);
    const input = await parseInput(action, JSON.parse(approval.input));
    const context = { ...deps, operator: requester, approvedBy: approver.name };
    await requireAsRead(action, context, input, approval.description);
    const facts = await action.lookUp?.(context, input);
    const result = await inTransaction(ledger, async (tx) => {
      const done = (await action.carryOut({ ...context, ledger: tx }, input, facts)) ?? null;
      const isRecorded = await endCarryOut(tx, attempt, {
        state: 'done',
        result: JSON.stringify(action.isResultSecret === true ? null : done),
      });
      if (!isRecorded) throw notWaiting(id);
      return done;
    });
    deps.live.report([...action.topics, 'approvals']);
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

/** An operator who may still do an action. Throws `unknown_operator` and `role_not_sufficient`. */
async function requireStill({ ledger }: Pick<ActionContext, 'ledger'>, name: string, action: Action): Promise<Operator> {
  const operator = await findOperator(ledger, name);
  if (!operator) throw new StopError({ code: 'unknown_operator', message: `The operator ${name} is disabled, so this is not carried out` });
  requireOneOf(action.roles, operator.role);
  return operator;
}
