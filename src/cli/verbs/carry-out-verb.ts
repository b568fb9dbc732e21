import type { VerbContext, Verb } from '../../operations/verb.ts';
import { asSentence, type PreparedVerb, prepareVerb, requestOf, requireAsRead } from '../../operations/prepare-verb.ts';
import { requireOneOf } from '../../operations/require-role.ts';
import { recordActAlone } from '../../ledger/operators/acts-alone.ts';
import { inTransaction, type Ledger } from '../../ledger/ledger.ts';
import { requestApproval } from '../../ledger/operators/approvals.ts';
import { findDisabledOperator, findOperator } from '../../ledger/operators/operators.ts';
import type { OperatorRole } from '../../schema/states.ts';
import { StopError } from '../../platform/errors.ts';
import { createLog } from '../../platform/log.ts';
import { cliSettings } from '../cli-settings.ts';
import { confirmOrStop } from '../confirmation.ts';
import { callingOperator, commandCorrelationId, operatorName } from '../operator.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { exitCodes } from '../render-error.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of the command of every verb. */
export interface VerbOptions {
  /** Not to ask whether to do it. */
  yes?: boolean;
  json?: boolean;
  /** Why it is carried out without the second person that it takes. */
  alone?: string;
}

/** What a command shows of a verb that was carried out. */
export interface VerbOutput<Result> {
  /** For people. */
  text: (result: Result) => string;
  /** For programs, where it is not the result itself. */
  json?: (result: Result) => unknown;
}

/** Characters of a reason for acting alone at most. */
const mostReason = 500;

/**
 * Carries out a verb for whoever calls the command, as the console does: under the same rules, when its sentence is confirmed, and once a second person has
 * approved it where it takes one; then the exit code is 4. Throws `not_confirmed`, `invalid_request`, `role_not_sufficient`, and what the verb throws.
 */
export async function carryOutVerb<Result>(
  verb: Verb,
  body: Record<string, unknown>,
  options: VerbOptions,
  output: VerbOutput<Result>,
): Promise<void> {
  await withLedger(async (ledger) => {
    const alone = requireReason(options.alone);
    const { caller, isKnown } = await callerOf(ledger);
    const context: VerbContext = alone === undefined ? caller : { ...caller, alone };
    requireOneOf(verb.roles, context.operator.role);
    const shown = await verb.readShown?.(context, body);
    const prepared = await prepareVerb(verb, context, { ...shown, ...body });
    const request = await requestOf(prepared, context);
    if (options.yes !== true) await confirm(request.description, options);
    await requireStill(ledger, verb.roles);
    if (prepared.isForTwo && alone === undefined) {
      if (!isKnown) throw unknownCaller(verb, context);
      const { id } = await requestApproval(ledger, context.operator.name, request);
      process.exitCode = exitCodes.waiting;
      return print(options.json ? renderJson({ approval: id }) : `It waits for a second person in the console: {"approval": "${id}"}`);
    }
    const result = (await carryOut(prepared, context, request.description)) as Result;
    print(options.json ? renderJson<unknown>(output.json?.(result) ?? result) : output.text(result));
  });
}

/**
 * Opens the ledger for a change that is no verb, because it reads files of the machine or takes many transactions: for whoever calls the command, as far as
 * their role may, when its sentence is confirmed; without a sentence, nothing is asked. Throws `not_confirmed` and `role_not_sufficient`.
 */
export async function changeLedger<T>(
  { roles, sentence }: { roles: readonly OperatorRole[]; sentence?: string },
  options: Pick<VerbOptions, 'yes' | 'json'>,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  return withLedger(async (ledger) => {
    const { caller } = await callerOf(ledger);
    requireOneOf(roles, caller.operator.role);
    if (sentence !== undefined && options.yes !== true) await confirm(asSentence(sentence), options);
    await requireStill(ledger, roles);
    return work(ledger);
  });
}

/** Does it in one transaction with what is recorded of it, if its sentence is still the one that was confirmed. */
async function carryOut({ verb, input, isForTwo }: PreparedVerb, context: VerbContext, read: string): Promise<unknown> {
  const { alone } = context;
  await requireAsRead(verb, context, input, read);
  const facts = await verb.lookUp?.(context, input);
  return inTransaction(context.ledger, async (tx) => {
    if (isForTwo && alone !== undefined) await recordActAlone(tx, { actor: callingOperator(), verb: verb.name, reason: alone });
    return (await verb.carryOut({ ...context, ledger: tx }, input, facts)) ?? null;
  });
}

/** Who calls the command, with their role in the console. Whoever is none of its operators has the database, and with it everything. */
async function callerOf(ledger: Ledger): Promise<{ caller: VerbContext; isKnown: boolean }> {
  const name = operatorName();
  if (await findDisabledOperator(ledger, name))
    throw new StopError({ code: 'role_not_sufficient', message: `The operator ${name} is disabled, so nothing is done` });
  const known = await findOperator(ledger, name);
  const operator = { name: known?.name ?? name, role: known?.role ?? ('administrator' as const) };
  return {
    caller: { ledger, settings: cliSettings(), log: createLog('silent'), operator, correlationId: commandCorrelationId },
    isKnown: known !== undefined,
  };
}

/** While a question waits for its answer, whoever asked may be disabled or get another role. Throws `role_not_sufficient`. */
async function requireStill(ledger: Ledger, roles: readonly OperatorRole[]): Promise<void> {
  const { caller } = await callerOf(ledger);
  requireOneOf(roles, caller.operator.role);
}

/** For whoever is no operator: a request for approval is an operator's, so that nobody approves their own. */
function unknownCaller(verb: Verb, { operator }: VerbContext): StopError {
  const message = `${verb.name} takes a second person, and ${operator.name || 'whoever calls this'} is no operator of the console who could ask for one: name an operator by \`mintrail --as NAME …\`. In an emergency, --alone REASON does without`;
  return new StopError({ code: 'role_not_sufficient', message });
}

/** The reason for acting alone. Throws `invalid_request` when it says nothing or too much. */
function requireReason(reason: string | undefined): string | undefined {
  if (reason === undefined || (reason.trim() !== '' && reason.length <= mostReason)) return reason?.trim();
  const fields = { alone: `must have 1 to ${mostReason} characters` };
  throw new StopError({ code: 'invalid_request', message: `--alone ${fields.alone}`, fields });
}

async function confirm(sentence: string, { json }: VerbOptions): Promise<void> {
  if (json)
    throw new StopError({ code: 'not_confirmed', message: 'Nothing was done. --json is for programs, which cannot confirm: add --yes' });
  if (process.stdin.isTTY) print(sentence);
  await confirmOrStop('Do this?');
}
