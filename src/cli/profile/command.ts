import { type Command, InvalidArgumentError, Option } from 'commander';
import { profiles } from '../../operations/customers/profile-view.ts';
import { deceptiveCharacters, deceptiveProblem } from '../../platform/deceptive-characters.ts';
import { parseId } from '../option-values.ts';
import { addVerbOptions } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';
import type { CreateOptions } from './create.ts';
import { type FieldError, reviewProfile } from './review.ts';
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
    .action(async (id: string) => (await import('./show.ts')).showProfile(id));

  profile
    .command('create')
    .description('create the profile of a user, who may complete it at /account')
    .addOption(
      new Option('--owner <email>', 'user to whom it belongs, who is created if unknown').argParser(parseEmail).makeOptionMandatory(),
    )
    .addOption(new Option('--kind <kind>', 'kind of customer').choices(['personal', 'corporate']).makeOptionMandatory())
    .option('--yes', 'do not ask whether to do it')
    .option('--json', 'print JSON; needs --yes')
    .action(async (options: CreateOptions) => (await import('./create.ts')).createProfile(options));

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
