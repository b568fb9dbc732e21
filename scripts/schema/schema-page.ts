import { introductionOf, type Schema, type Table, tablesByFile } from './read-schema.ts';

/** The last line of a table's comment that says of what its rows are made, and what proves that they agree. */
const derivation = /\n?Derived from: (?<sources>[\w ,]+), (?<by>by .*)\. Checked by: (?<check>\S+)\.$/;

/** `docs/schema.md`. */
export function schemaPage({ tables }: Schema): string {
  const files = [...tablesByFile()].filter(([, names]) => names.length > 0);
  const derived = [...tables.values()].filter(({ comment }) => derivation.test(comment));
  const fileOf = new Map(files.flatMap(([file, names]) => names.map((name) => [name, file] as const)));
  return `# Schema

The tables of the ledger, by subject: each has an SQL file in \`src/schema/\`, which is the place to change them. A change is seen as a whole in
[schema.sql](schema.sql), the purpose of a column in its file. This page is generated from the comments on the tables by \`npm run schema\`; it changes with
tables, comments and references only.

## Derived tables

These can be made again of others. The [test](../test/schema/derived-tables.db.test.ts) does so after a random run and compares row by row; then it spoils a row and expects
to be told (\`balance_changes\` as a part of the two tables that are made by way of it). All others are written by the service.

${markdownTable(['table', 'derived from', 'how', 'the check that proves it'], derived.map(derivedRow))}

## Subjects

An arrow leads from the tables that refer to the tables they refer to, by a foreign key; a dotted one to what they are derived from.

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
