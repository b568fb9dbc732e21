import { type Command, InvalidArgumentError, Option } from 'commander';
import { createOwnProfile } from '../../ledger/customers/own-profile.ts';
import { showProfile as readProfile } from '../../ledger/customers/profile-queries.ts';
import { profiles } from '../../operations/customers/profile-view.ts';
import { approve, askForMore, reject } from '../../operations/customers/reviews.ts';
import type { Verb } from '../../operations/verb.ts';
import { deceptiveCharacters, deceptiveProblem } from '../../platform/printable.ts';
import type { ProfileKind } from '../../schema/states.ts';
import { parseId } from '../option-values.ts';
import { renderJson } from '../output.ts';
import { print } from '../print.ts';
import { addVerbOptions } from '../verbs/add-verb.ts';
import { carryOutVerb, changeLedger, type VerbOptions } from '../verbs/carry-out-verb.ts';
import { addView } from '../views/add-view.ts';
import { withLedger } from '../with-ledger.ts';
import { requireProfileId, reviewers, unknownProfile } from './profile-id.ts';
import type { DocumentOption, SubmitOptions } from './submit.ts';

/** `mintrail profile`. */
export function addProfileCommands(program: Command): void {
  const profile = program
    .command('profile')
    .description('list profiles, show what a customer has given, create them for owners, and decide reviews');

  addView(profile, profiles, {
    isDefault: true,
    below: (rows) =>
      rows.some(({ state }) => state === 'pending')
        ? 'A pending profile waits for your decision: `mintrail profile show ID` has its data, `mintrail profile documents ID --output DIR` its documents, `mintrail profile review ID` decides.'
        : undefined,
  });

  profile
    .command('show')
    .description('show everything that a customer has given, and earlier decisions, as JSON; `profile documents` writes its documents')
    .argument('<id>', 'id of the profile')
    .action(showProfile);

  profile
    .command('create')
    .description('create the profile of a user, who may complete it at /account')
    .addOption(
      new Option('--owner <email>', 'user to whom it belongs, who is created if unknown').argParser(parseEmail).makeOptionMandatory(),
    )
    .addOption(new Option('--kind <kind>', 'kind of customer').choices(['personal', 'corporate']).makeOptionMandatory())
    .option('--yes', 'do not ask whether to do it')
    .option('--json', 'print JSON; needs --yes')
    .action(createProfile);

  profile
    .command('submit')
    .description("submit data of a user's profile, as the user would at /account")
    .argument('<id>', 'id of the profile')
    .option('--details <file>', 'its details, as JSON')
    .option('--form <file>', 'its form, as JSON')
    .addOption(
      new Option('--document <kind=file>', "a document of a verification, or for a company's person of kind:person=file; repeatable")
        .argParser(collectDocuments)
        .default([], 'none'),
    )
    .option('--yes', 'do not ask whether to do it')
    .option('--json', 'print JSON; needs --yes')
    .action(async (id: string, options: SubmitOptions) => (await import('./submit.ts')).submitProfile(id, options));

  profile
    .command('documents')
    .description('write the uploaded documents of a profile into a folder, for its review; the audit log says who took them')
    .argument('<id>', 'id of the profile')
    .requiredOption('--output <dir>', 'folder, which is made where it is missing; no file in it is overwritten')
    .option('--json', 'print JSON')
    .action(async (id: string, options: { output: string; json?: boolean }) =>
      (await import('./documents.ts')).writeDocuments(id, options),
    );

  const review = profile
    .command('review')
    .description('decide a profile that is in review')
    .argument('<id>', 'id of the profile', parseId)
    .addOption(new Option('--approve', 'approve it').conflicts(['reject', 'incomplete']))
    .addOption(new Option('--reject <reason>', 'reject it for good').conflicts(['approve', 'incomplete']).argParser(parseReason))
    .addOption(
      new Option('--incomplete <field=reason...>', 'send it back; a field is details, form or a verification, or a field of one')
        .conflicts(['approve', 'reject'])
        .argParser(collectErrors),
    );
  addVerbOptions(review, { needsSecondPerson: false }).action(reviewProfile);
}

function parseEmail(text: string): string {
  if (deceptiveCharacters.test(text)) throw new InvalidArgumentError(`It ${deceptiveProblem}.`);
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text) && text.length <= 254) return text;
  throw new InvalidArgumentError('It must be an email address.');
}

function collectDocuments(text: string, before: DocumentOption[]): DocumentOption[] {
  const [, kind = '', person, file = ''] = /^([A-Za-z]+)(?::([0-9a-f-]{36}))?=(.+)$/.exec(text) ?? [];
  if (kind === '') throw new InvalidArgumentError('It must have a form such as idDocument=passport.pdf.');
  return [...before, { kind, person, file }];
}

function collectErrors(text: string, before: FieldError[] | undefined): FieldError[] {
  const at = text.indexOf('=');
  const [field, reason] = [text.slice(0, at).trim(), text.slice(at + 1).trim()];
  if (at < 1 || field === '' || reason === '')
    throw new InvalidArgumentError('It must have a form such as details.birthday=does not match the passport.');
  return [...(before ?? []), { field, reason }];
}

function parseReason(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return text.trim();
}

/** `mintrail profile show`. Throws `not_found`. */
async function showProfile(id: string): Promise<void> {
  const profile = await withLedger(async (ledger) => readProfile(ledger, requireProfileId(id)));
  if (!profile) throw unknownProfile(id);
  print(renderJson(profile));
}

interface CreateOptions {
  owner: string;
  kind: ProfileKind;
  yes?: boolean;
  json?: boolean;
}

/** `mintrail profile create`. Throws `profile_exists`. */
async function createProfile(options: CreateOptions): Promise<void> {
  const { owner, kind, json } = options;
  const change = { roles: reviewers, sentence: `Create the ${kind} profile of ${owner}` };
  const id = await changeLedger(change, options, (ledger) => createOwnProfile(ledger, owner, kind));
  print(json ? renderJson({ id, kind, owner, state: 'created' }) : `The profile ${id} is created: ${owner} completes it at /account.`);
}

/** Why a part of what was submitted is not enough: a section, a verification, or a field of one. */
interface FieldError {
  field: string;
  reason: string;
}

/** Options of `mintrail profile review`; exactly one decision is made. */
interface ReviewOptions extends VerbOptions {
  approve?: true;
  reject?: string;
  incomplete?: FieldError[];
}

/** `mintrail profile review`: the verb of the option. Throws what it throws, and CommanderError without an option. */
async function reviewProfile(profile: string, options: ReviewOptions, command: Command): Promise<void> {
  const { approve: isApproved, reject: reason, incomplete: errors } = options;
  const decision = isApproved
    ? { verb: approve, body: { profile } }
    : reason !== undefined
      ? { verb: reject, body: { profile, reason } }
      : errors && { verb: askForMore, body: { profile, errors } };
  if (!decision) return command.error('error: one of --approve, --reject and --incomplete is required', { exitCode: 2 });
  await carryOutVerb(decision.verb as unknown as Verb, decision.body, options, {
    text: ({ id, state }: { id: string; state: string }) => `The profile ${id} is ${state}.`,
  });
}
