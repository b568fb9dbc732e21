import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const project = fileURLToPath(new URL('../../', import.meta.url));

/** What builds leave in the folders of the project. */
const generated = /^(?:contracts\/(?:out|cache)\/|(?:.*\/)?node_modules\/)|(?:^|\/)\.[^/]+\//;

/** Paths of the project's own files below some folders, or of its files that fit a pattern, relative to the project. */
export function projectFiles(...foldersOrPatterns: string[]): string[] {
  const patterns = foldersOrPatterns.map((name) => (name.includes('*') ? name : `${name}/**`));
  return globSync(patterns, { cwd: project, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(project, path.join(entry.parentPath, entry.name)))
    .filter((file) => !generated.test(file))
    .toSorted();
}

export const read = (file: string): string => readFileSync(path.join(project, file), 'utf8');

/** The text outside fenced code. */
const prose = (markdown: string): string => markdown.replaceAll(/^```.*?^```$/gms, '');

/** The headings of a page, as plain text. */
export function headings(markdown: string): string[] {
  return [...prose(markdown).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, text = '']) => text.replaceAll('`', ''));
}

/** The fragment by which GitHub links to a heading. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The targets of a page's links that stay within the repository: `[path, fragment]`, each empty where there is none. */
export function localLinks(markdown: string): [file: string, fragment: string][] {
  const targets = [...prose(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', fragment = ''] = target.split('#');
      return [file, fragment];
    });
}

/** References of a comment to a page: `docs/api.md, Events`, or `docs/api.md` alone. Comments may break between the words. */
export function references(source: string): [page: string, heading: string | undefined][] {
  const text = source.replaceAll(/\n\s*(?:\*|\/\/|--|#)?\s*/g, ' ');
  return [...text.matchAll(/\b(docs\/[\w./-]+\.md)(?:, ([A-Z][^;:,.()]*))?/g)].map(([, page = '', heading]) => [page, heading?.trim()]);
}

/** Paths within the repository that a page names in backticks, such as `src/chain/fees.ts`. Those with a `<placeholder>` are left out. */
export function namedPaths(markdown: string): string[] {
  const folders = 'src|test|indexer|contracts|scripts|abis|bench|docs|examples';
  return [...markdown.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))].map(([, file = '']) => file);
}
