import { type Command, InvalidArgumentError, Option } from 'commander';
import { userInfo } from 'node:os';
import { type Decision, decideProfile, type ReviewError } from '../../ledger/customers/profile-review.ts';
import { listAllProfiles, showProfile } from '../../ledger/customers/profile-queries.ts';
import type { ProfileState } from '../../ledger/tables.ts';
import { StopError } from '../../platform/errors.ts';
import { renderJson, renderTable } from '../table.ts';
import { withLedger } from '../with-ledger.ts';

interface ListOptions {
  state?: ProfileState[];
  limit: number;
  json?: true;
}

interface ReviewOptions {
  approve?: true;
  reject?: string;
  incomplete?: [ReviewError, ...ReviewError[]];
  json?: true;
}

/** `mintrail profile`: what an operator sees of customers, and decides about them. */
export function addProfileCommands(program: Command): void {
  const profile = program.command('profile').description('list customers, look into what one has given, and decide a review');

  profile
    .command('list', { isDefault: true })
    .description('list profiles, those that wait longest first')
    .addOption(new Option('--state <state...>', 'only these states').choices(['created', 'incomplete', 'pending', 'approved', 'rejected']))
    .option('--limit <number>', 'at most so many', limit, 100)
    .option('--json', 'answer in JSON')
    .action(async ({ state, limit: most, json }: ListOptions) => {
      const found = await withLedger((ledger) => listAllProfiles(ledger, { states: state, limit: most }));
      if (json) return console.log(renderJson(found));
      if (found.length === 0) return console.log('No profiles.');
      const rows = found.map(({ id, kind, name, state, createdAt }) => [id, time(createdAt), kind, name, state]);
      console.log(renderTable(['id', 'created', 'kind', 'name', 'state'], rows));
    });

  profile
    .command('show')
    .description('show everything that a customer has given, and how it was decided before, as JSON')
    .argument('<id>', 'id of the profile')
    .action(async (id: string) => {
      const found = await withLedger(async (ledger) => showProfile(ledger, profileId(id)));
      if (!found) throw unknownProfile(id);
      console.log(renderJson(found));
    });

  profile
    .command('review')
    .description('decide a profile that is in review')
    .argument('<id>', 'id of the profile')
    .addOption(new Option('--approve', 'it becomes approved').conflicts(['reject', 'incomplete']))
    .addOption(new Option('--reject <reason>', 'it becomes rejected, for good').conflicts(['approve', 'incomplete']).argParser(reason))
    .addOption(
      new Option('--incomplete <field=reason...>', 'it goes back: details, form or a verification kind, perhaps with a field in it')
        .conflicts(['approve', 'reject'])
        .argParser(collectErrors),
    )
    .option('--json', 'answer in JSON')
    .action(async (id: string, options: ReviewOptions, command: Command) => {
      const decision = decisionOf(options);
      if (!decision) return command.error('error: one of --approve, --reject and --incomplete is needed', { exitCode: 2 });
      const by = `operator ${userInfo().username}`;
      const decided = await withLedger((ledger) => decideProfile(ledger, profileId(id), decision, { by }));
      console.log(options.json ? renderJson(decided) : `The profile ${decided.id} is ${decided.state}.`);
    });
}

function decisionOf({ approve, reject, incomplete }: ReviewOptions): Decision | undefined {
  if (approve) return { decision: 'approved' };
  if (reject !== undefined) return { decision: 'rejected', reason: reject };
  return incomplete && { decision: 'incomplete', errors: incomplete };
}

function collectErrors(given: string, before: ReviewError[] | undefined): ReviewError[] {
  const at = given.indexOf('=');
  const [field, why] = [given.slice(0, at).trim(), given.slice(at + 1).trim()];
  if (at < 1 || field === '' || why === '') throw new InvalidArgumentError('Of the form details.birthday=does not match the passport.');
  return [...(before ?? []), { field, reason: why }];
}

function reason(given: string): string {
  if (given.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return given.trim();
}

function profileId(id: string): string {
  if (!/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)) throw unknownProfile(id);
  return id.toLowerCase();
}

function unknownProfile(id: string): StopError {
  return new StopError({ code: 'unknown_profile', message: `There is no profile ${id}; \`mintrail profile list\` lists them` });
}

function time(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 10_000) return number;
  throw new InvalidArgumentError('A number from 1 to 10000.');
}
