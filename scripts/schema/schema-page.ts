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

The tables of the ledger, by subject: each has an SQL file in \`src/schema/\`, which is the place to change them. A change is seen as a whole in
[schema.sql](schema.sql), the purpose of a column in its file. This page is generated from the comments on the tables by \`npm run schema\`; it changes with
tables, comments and references only.

## Derived tables

These can be made again of others. The [test](../test/schema/derived-tables.db.test.ts) does so after a random run and compares all columns that are named there; then it deletes
a row of each table and must name that table. \`balance_changes\` is added to \`balances\` and to \`account_days\` before these are compared. The rows of all other tables
cannot be made again.

${markdownTable(['table', 'derived from', 'how', 'the check that proves it'], derivedTables.map(derivedRow))}

## Subjects

An arrow leads from a subject to another that its tables refer to by a foreign key; a dotted one to another that they are derived from. References and derivations within
a subject are in the tables alone.

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

function derivedRow({ name, comment }: Table): string[] {
  const { sources = '', by = '', check = '' } = derivation.exec(comment)?.groups ?? {};
  return [code(name), sources.split(', ').map(code).join(', '), by, code(check)];
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
  const rows = tables.map(({ name, comment, refersTo }) => [
    code(name),
    oneLine(comment.replace(derivation, '')),
    refersTo
      .filter((target) => target !== name)
      .map(code)
      .join(', '),
  ]);
  return `### ${file}.sql\n\n${introductionOf(file)}\n\n${markdownTable(['table', 'what it is for', 'refers to'], rows)}`;
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return lines.toSpliced(1, 0, `|${'---|'.repeat(head.length)}`).join('\n');
}

function code(text: string): string {
  return `\`${text}\``;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
