import { introductionOf, type Schema, type Table, tablesByFile } from './read-schema.ts';

/** The last line of a table's comment that says of what its rows are made, and what proves that they agree. */
const derivation = /\n?Derived from: (?<sources>[\w ,]+), (?<by>by .*)\. Checked by: (?<check>\S+)\.$/;

/** What begins such a line. */
const derived = 'Derived from: ';

/** `docs/schema.md`. Throws where a comment names as a source what is no table, or not what proves the derivation. */
export function schemaPage({ tables }: Schema): string {
  for (const table of tables.values()) requireReadable(table, tables);
  const files = [...tablesByFile()].filter(([, names]) => names.length > 0);
  const derivedTables = [...tables.values()].filter(({ comment }) => derivation.test(comment));
  const fileOf = new Map(files.flatMap(([file, names]) => names.map((name) => [name, file] as const)));
  return `# Schema

The tables of the ledger, by subject: each has an SQL file in \`src/schema/\`, which is the place to change them and says what each column is for.
Here stands the first sentence of each, and in parentheses what a table refers to; [schema.sql](schema.sql) has it all.
Generated from the comments on the tables by \`npm run schema\`.

## Derived tables

These can be made again of others, which a [test](../test/schema/derived-tables.db.test.ts) does after a random run.
\`balance_changes\` is added to \`balances\` and to \`account_days\` before these are compared.
No other table can be made again.

${derivedTables.map(derivedLine).join('\n')}

## Subjects

An arrow leads to a subject whose tables are referred to by a foreign key; a dotted one to a subject from which tables are derived.

\`\`\`mermaid
flowchart LR
${files.map(([file, names]) => `  ${file}["<b>${file}</b><br/>${names.join('<br/>')}"]`).join('\n')}
${arrows([...tables.values()], fileOf).join('\n')}
\`\`\`

${files
  .map(([file, names]) =>
    section(
      file,
      names.flatMap((name) => tables.get(name) ?? []),
    ),
  )
  .join('\n\n')}
`;
}

function requireReadable({ name, comment }: Table, tables: ReadonlyMap<string, Table>): void {
  if (!comment.includes(derived)) return;
  const sources = derivation.exec(comment)?.groups?.['sources']?.split(', ');
  if (sources === undefined) throw new Error(`The comment of ${name} does not end with "${derived}TABLES, by HOW. Checked by: FILE."`);
  for (const source of sources)
    if (!tables.has(source)) throw new Error(`The comment of ${name} derives it from ${source}, which is no table`);
}

function derivedLine({ name, comment }: Table): string {
  const { sources = '', by = '' } = derivation.exec(comment)?.groups ?? {};
  return `- ${code(name)}: of ${sources.split(', ').map(code).join(', ')}, ${by}`;
}

function arrows(tables: readonly Table[], fileOf: ReadonlyMap<string, string>): string[] {
  const links = tables.flatMap(({ name, refersTo, comment }) => {
    const sources = derivation.exec(comment)?.groups?.['sources']?.split(', ') ?? [];
    const link = (target: string, arrow: string) =>
      fileOf.get(target) === fileOf.get(name) ? [] : [`  ${fileOf.get(name)} ${arrow} ${fileOf.get(target)}`];
    return [...refersTo.flatMap((target) => link(target, '-->')), ...sources.flatMap((target) => link(target, '-.->'))];
  });
  return [...new Set(links)].toSorted();
}

function section(file: string, tables: readonly Table[]): string {
  const lines = tables.map(({ name, comment, refersTo }) => {
    const others = refersTo.filter((target) => target !== name).map(code);
    return `- ${code(name)}${others.length > 0 ? ` (${others.join(', ')})` : ''}: ${firstSentence(comment.replace(derivation, ''))}`;
  });
  return `### ${file}.sql\n\n${firstSentence(introductionOf(file))}\n\n${lines.join('\n')}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

function firstSentence(text: string): string {
  return /^.*?[.:](?= |$)/.exec(text.replaceAll(/\s+/g, ' ').trim())?.[0].replace(/:$/, '.') ?? text;
}
