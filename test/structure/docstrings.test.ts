import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { parse, sourceFiles } from './sources.ts';

/** The exported functions of a file, declared or assigned to a constant, that have no docstring directly above them. */
function undocumented(source: ts.SourceFile): string[] {
  return source.statements
    .filter((statement) => isExported(statement) && isFunction(statement) && !hasDocstring(statement, source))
    .map((statement) => `${source.fileName} ${nameOf(statement, source)}`);
}

function isExported(statement: ts.Statement): boolean {
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : [];
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
}

function isFunction(statement: ts.Statement): boolean {
  if (!ts.isVariableStatement(statement)) return ts.isFunctionDeclaration(statement);
  return statement.declarationList.declarations.some(
    ({ initializer }) => initializer !== undefined && (ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer)),
  );
}

/** A comment that an empty line separates from the declaration describes something else. */
function hasDocstring(statement: ts.Statement, source: ts.SourceFile): boolean {
  const docstring = ts.getJSDocCommentsAndTags(statement).findLast(ts.isJSDoc);
  return docstring !== undefined && /^\r?\n?$/.test(source.text.slice(docstring.end, statement.getStart(source)));
}

function nameOf(statement: ts.Statement, source: ts.SourceFile): string {
  const declaration = ts.isVariableStatement(statement) ? statement.declarationList.declarations[0] : statement;
  return (declaration as ts.NamedDeclaration).name?.getText(source) ?? 'default';
}

describe('docstrings', () => {
  it('stand above every exported function', () => {
    expect(sourceFiles.flatMap((file) => undocumented(parse(file)))).toEqual([]);
  });

  it.each([
    ['export function refund() {}'],
    ['export const refund = () => {};'],
    ['// Not a docstring.\nexport function refund() {}'],
    ['/** Of something else. */\n\nexport function refund() {}'],
  ])('are missed: %j', (text) => {
    expect(undocumented(sourceOf(text))).toEqual(['sample.ts refund']);
  });

  it.each([['/** Refunds. */\nexport function refund() {}'], ['function refund() {}']])('are not missed: %j', (text) => {
    expect(undocumented(sourceOf(text))).toEqual([]);
  });
});

function sourceOf(text: string): ts.SourceFile {
  return ts.createSourceFile('sample.ts', text, ts.ScriptTarget.Latest, true);
}
