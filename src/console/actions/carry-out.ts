import type { Operator } from '../../ledger/operators/operators.ts';
import { beginCarryOut, endCarryOut } from '../../ledger/operators/approvals.ts';
import { findOperator } from '../../ledger/operators/operators.ts';
import { isDatabaseOutage } from '../../platform/database.ts';
import { MintrailError, StopError } from '../../platform/errors.ts';
import { printable } from '../../platform/printable.ts';
import { invalidInput } from '../http/validated.ts';
import { describeError } from '../http/error-response.ts';
import { requireOneOf } from '../sign-in/require-session.ts';
import type { Action, ActionContext, Json } from './action.ts';
import { findAction } from './registry.ts';

/** What every action but the operator needs. */
export type ActionDependencies = Omit<ActionContext, 'operator' | 'approvedBy'>;

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

/**
 * Carries out what is approved, exactly as it was asked for and approved, and records what came of it. Both operators must still be allowed to at this
 * moment, and it must still be what they read. After an outage or a crash it can be called again. Throws what the action throws, `action_not_as_read`
 * and `approval_not_waiting`.
 */
export async function carryOutApproved(deps: ActionDependencies, id: string): Promise<Json> {
  const { ledger } = deps;
  const attempt = await beginCarryOut(ledger, id);
  try {
    const { approval, isIntact } = attempt;
    if (!isIntact) throw new StopError({ code: 'approval_not_waiting', message: `The approval ${id} is not what was approved` });
    const action = requireAction(approval.action);
    const requester = await requireStill(deps, approval.requestedBy, action);
    const approver = await requireStill(deps, approval.decidedBy ?? '', action);
    const input = await parseInput(action, JSON.parse(approval.input));
    const context = { ...deps, operator: requester, approvedBy: approver.name };
    await requireAsRead(action, context, input, approval.description);
    const result = (await action.carryOut(context, input)) ?? null;
    await endCarryOut(ledger, attempt, { state: 'done', result: JSON.stringify(action.isResultSecret === true ? null : result) });
    deps.live.report([...action.topics, 'approvals']);
    return result;
  } catch (error) {
    const { code, message: text } = describeError(error);
    // It may be the very reason why it cannot be done now.
    const message = attempt.approval.attempts === 1 ? text : `${text} (an earlier attempt was interrupted, and may have done this already)`;
    const isFinal = error instanceof MintrailError ? !error.retryable : !isDatabaseOutage(error);
    await endCarryOut(ledger, attempt, { state: isFinal ? 'failed' : 'interrupted', errorCode: code, errorMessage: message });
    throw error;
  }
}

/** An operator who may still do an action. Throws `unknown_operator` and `role_not_sufficient`. */
async function requireStill({ ledger }: ActionDependencies, name: string, action: Action): Promise<Operator> {
  const operator = await findOperator(ledger, name);
  if (!operator) throw new StopError({ code: 'unknown_operator', message: `The operator ${name} is disabled, so this is not carried out` });
  requireOneOf(action.roles, operator.role);
  return operator;
}
