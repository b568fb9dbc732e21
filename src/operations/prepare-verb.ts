import { type ApprovalRequest, digestOf } from '../ledger/operators/approvals.ts';
import { StopError } from '../platform/errors.ts';
import { printable } from '../platform/printable.ts';
import { needsFourEyes } from '../platform/settings.ts';
import { invalidInput } from './invalid-input.ts';
import { requireOneOf } from './require-role.ts';
import type { Verb, VerbContext } from './verb.ts';

/** Characters of an input that is kept for a second person, and listed with others, at most: no verb that takes two has a longer one. */
const mostKeptCharacters = 65_536;

/** A verb with the input that somebody asks for. */
export interface PreparedVerb {
  verb: Verb;
  /** The input as it was sent. */
  body: unknown;
  /** The same, validated. */
  input: unknown;
  /** Whether it waits for a second person, if the operator asks for it now. */
  isForTwo: boolean;
}

/** Validates a request for a verb. Throws `role_not_sufficient`, `invalid_request` and `body_too_large`. */
export async function prepareVerb(verb: Verb, context: VerbContext, body: unknown): Promise<PreparedVerb> {
  requireOneOf(verb.roles, context.operator.role);
  const input = await parseInput(verb, body);
  const isForTwo = needsFourEyes(context.settings) && (await isDelicate(verb, context, input));
  if (isForTwo && JSON.stringify(body).length > mostKeptCharacters)
    throw new StopError({ code: 'body_too_large', message: `The input is longer than ${mostKeptCharacters} characters` });
  return { verb, body, input, isForTwo };
}

async function isDelicate({ needsSecondPerson }: Verb, context: VerbContext, input: unknown): Promise<boolean> {
  return typeof needsSecondPerson === 'boolean' ? needsSecondPerson : needsSecondPerson(context, input);
}

/** Validates what was sent for a verb, or what a view is asked for. Throws `invalid_request`. */
export async function parseInput({ input }: Pick<Verb, 'input'>, body: unknown): Promise<unknown> {
  const parsed = await input.safeParseAsync(body);
  if (parsed.success) return parsed.data;
  throw invalidInput(parsed.error.issues);
}

/** What an operator asks for, with the sentence that says at this moment what it would do. Throws what describing the verb throws. */
export async function requestOf({ verb, body, input }: PreparedVerb, context: VerbContext): Promise<ApprovalRequest> {
  return { action: verb.name, input: JSON.stringify(body), description: await describeVerb(verb, context, input) };
}

/** Throws `not_as_shown` unless a request is the one whose digest somebody has read. */
export function requireDigest(request: ApprovalRequest, digest: string): void {
  if (digestOf(request).toString('hex') !== digest) throw notAsRead(request.description);
}

/**
 * Throws `not_as_shown` unless the verb would still do what somebody has read, word for word: between reading and carrying out, a payment may have
 * been sent, or an IBAN moved. Throws what describing the verb throws.
 */
export async function requireAsRead(verb: Verb, context: VerbContext, input: unknown, read: string): Promise<void> {
  const description = await describeVerb(verb, context, input);
  if (description !== read) throw notAsRead(description);
}

function notAsRead(description: string): StopError {
  const message = `This has changed since it was read, and nothing was done. By now it would be: ${description}`;
  return new StopError({ code: 'not_as_shown', message });
}

/**
 * The sentence that says what a verb would do, as a person reads it: in one line, with nothing in it that is not seen or turns round what follows.
 * Throws what describing the verb throws.
 */
async function describeVerb(verb: Verb, context: VerbContext, input: unknown): Promise<string> {
  return asSentence(await verb.describe(context, input));
}

/** One line, with what is not seen or turns round what follows written out. */
export function asSentence(text: string): string {
  return printable(text.replaceAll(/\s*\n\s*/g, ' '));
}
