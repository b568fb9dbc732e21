import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript-5';

const root = path.resolve(import.meta.dirname, '../..');

/** The files of the service, as paths from the root of the repository. */
export const sourceFiles = globSync(['src/**/*.{ts,mts,mjs}', 'indexer/**/*.ts', 'ponder.config.ts'], { cwd: root }).sort();

/** The syntax tree of a file, with the parents of its nodes. */
export function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
}

/** Every node below this one, and itself. */
export function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  for (const child of node.getChildren()) yield* nodesOf(child);
}

/** What a file imports, also types alone, and what it loads while it runs: the files of ours as paths, packages by their names. */
export function importsOf(source: ts.SourceFile): { files: string[]; packages: string[] } {
  const names = [...nodesOf(source)].flatMap((node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) return specifier(node.moduleSpecifier);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return specifier(node.argument.literal);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) return specifier(node.arguments[0]);
    return [];
  });
  const files = names.filter((name) => name.startsWith('.')).map((name) => path.join(path.dirname(source.fileName), name));
  const packages = names.filter((name) => !name.startsWith('.') && !name.startsWith('node:')).map(packageOf);
  return { files, packages };
}

function specifier(node: ts.Node | undefined): string[] {
  return node !== undefined && ts.isStringLiteralLike(node) ? [node.text] : [];
}

function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The entry of a table whose path a file lies below, the longest if there are several; `undefined` when there is none. */
export function entryOf<Entry>(table: Readonly<Record<string, Entry>>, file: string): { folder: string; entry: Entry } | undefined {
  const [match] = Object.entries(table)
    .filter(([folder]) => file === folder || file.startsWith(`${folder}/`))
    .sort(([one], [other]) => other.length - one.length);
  return match && { folder: match[0], entry: match[1] };
}
