// Counts what the house is to have once or seldom, and prints each count beside its limit; with --check it says only what is above a limit that is held.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { errorCatalogue } from '../src/platform/error-catalogue.ts';
import { problemKinds } from '../src/problems/catalogue.ts';
import { networkSettingsSchema } from '../src/platform/settings/network-schema.ts';
import { settingsSchema } from '../src/platform/settings/schema.ts';

/** What is counted. A limit that is `held` fails the check; the others are where the project goes, and are printed. */
interface Count {
  name: string;
  now: number;
  limit: number;
  isHeld: boolean;
}

const root = path.join(import.meta.dirname, '..');
const sources = read('src/**/*.ts');
const lengths = [...sources.values()].map(lines).toSorted((a, b) => a - b);
const schema = [...read('src/schema/*.sql').values()].join('\n');

/** The commands of operators: but for what carries verbs out. */
const commandFolders = /^src\/cli\/(?!verbs\/)\w+\//;

/** What both sides import although neither is written twice, with the reason. */
const sharedOnPurpose: Readonly<Record<string, string>> = {
  comparisonNames: 'the order of comparisons',
  eventTypes: 'the values of a choice',
  openBreaches: 'a read: what there is to acknowledge',
  acknowledgedBreaches: 'a read: what was acknowledged',
  describeAddress: 'a read: what an address is',
  paymentsOf: 'reads the text of an explanation',
  mostCounted: 'the largest counts',
  inTransaction: 'the transaction around a change',
  recordAct: 'the entry in the audit log, which a change that is no verb writes, too',
  userSubject: 'a value: how the factors name a user',
  listProfileDocuments: 'the command writes the files, and the page shows them with what they prove',
  documentContent: 'the content of such a file',
  recordDocumentsRead: 'the record of such a reading',
  showProfile: 'the command prints all of it, and the page leaves out what documents say',
  ownerOf: 'the command submits in the name of the owner, whom the page shows',
  readOrderStory: 'the story of an order, which each shows as far as it asks',
  storyJson: 'its form for programs',
  readProblems: 'what is wrong where an order waits',
  problemsOfOrder: 'which of it concerns the order',
  describeAwaited: 'the words for a wait',
  readStatus: 'the state of the service: a text, and a page with links',
  readReserve: 'the reserve: a table by currency, and an equation',
};

const counts: Count[] = [
  held('error codes', Object.keys(errorCatalogue).length, 150),
  held('settings', Object.keys(settingsSchema.shape).length + Object.keys(networkSettingsSchema.shape).length, 72),
  held('SQL files', globSync('src/schema/*.sql', { cwd: root }).length, 14),
  held('95th percentile of the lines of a source file', lengths[Math.floor(lengths.length * 0.95)] ?? 0, 280),
  aim(
    'changes that commands make beside the verbs',
    importedTwice(/^(?!list|find|read|count|require|is[A-Z])[a-z]/, /^src\/operations\//),
    0,
  ),
  held('lists that command line and console read apart', importedTwice(/^(?!is[A-Z])[a-z]/, /^src\/console\//), 0),
  held('catalogues of what is wrong', filesWithManyOf(problemKinds), 1),
  aim('tables', schema.match(/^create table (?!.* partition of)/gim)?.length ?? 0, 70),
  aim('indexes of open legs', schema.match(/^create (?:unique )?index \w+ on (?:public\.)?open_legs\b/gim)?.length ?? 0, 6),
  aim('source lines', total(read('src/**/*.{ts,sql,css}')), 62_000),
  aim('source files', sources.size, 640),
  aim('lines of tests', total(read('test/**/*.ts')), 58_000),
  // The bars of tables and the signs of lists are no words.
  held('words of docs', [...read('docs/**/*.md').values()].join(' ').match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0, 60_000),
];

const missed = counts.filter(({ now, limit, isHeld }) => isHeld && now > limit);
for (const { name, now, limit } of process.argv.includes('--check') ? missed : counts)
  console.log(`${String(now).padStart(7)} of ${String(limit).padStart(6)}${now > limit ? '  above' : '       '}  ${name}`);
if (missed.length > 0) process.exitCode = 1;

function held(name: string, now: number, limit: number): Count {
  return { name, now, limit, isHeld: true };
}

function aim(name: string, now: number, limit: number): Count {
  return { name, now, limit, isHeld: false };
}

/** The texts of files by their path from the project. */
function read(pattern: string): Map<string, string> {
  return new Map(globSync(pattern, { cwd: root }).map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** In how many files ten or more of these names stand as keys of a table or as elements of a list of their own lines: what is wrong, catalogued. */
function filesWithManyOf(names: readonly string[]): number {
  const entries = names.map((name) => new RegExp(`^\\s+'?${name}'?(?:: |,$)`, 'm'));
  return [...sources.values()].filter((text) => entries.filter((entry) => entry.test(text)).length >= 10).length;
}

function lines(text: string): number {
  return text.split('\n').length - 1;
}

function total(texts: Map<string, string>): number {
  return [...texts.values()].reduce((sum, text) => sum + lines(text), 0);
}

/** How many functions of the ledger both a folder and the command line import, so that each has rules of its own around them. */
function importedTwice(name: RegExp, folder: RegExp): number {
  const commands = importsOfLedger(commandFolders);
  return [...importsOfLedger(folder)].filter(
    (imported) => name.test(imported) && commands.has(imported) && !Object.hasOwn(sharedOnPurpose, imported),
  ).length;
}

function importsOfLedger(folder: RegExp): Set<string> {
  const texts = [...sources].filter(([file]) => folder.test(file)).map(([, text]) => text);
  const imports = texts.flatMap((text) =>
    Array.from(text.matchAll(/^import \{([^}]*)\} from '[./]+\/(?:ledger|reconciliation|trace|problems)\//gm)),
  );
  const names = imports.flatMap(([, list = '']) => list.split(',').map((imported) => imported.trim().replace(/ as .*/s, '')));
  return new Set(names.filter((imported) => imported !== '' && !imported.startsWith('type ')));
}
