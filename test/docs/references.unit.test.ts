import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { anchor, headings, localLinks, namedPaths, project, projectFiles, read, references } from './pages.ts';

const text = /\.(?:ts|mts|mjs|sql|sol|json|yml|css|js)$/;
const sources = projectFiles('src', 'test', 'contracts', 'indexer', 'scripts', 'bench', 'examples').filter(
  // The files of this test name pages that are missing, to show that they are found.
  (file) => text.test(file) && !file.startsWith('test/docs/'),
);
const pages = projectFiles('*.md', 'docs/**/*.md', 'src/**/*.md', 'console/**/*.md');

/** Why a reference from a source to a page leads nowhere; `undefined` when it leads somewhere. */
function deadReference(page: string, heading: string | undefined): string | undefined {
  if (!existsSync(path.join(project, page))) return `there is no ${page}`;
  if (heading === undefined || headings(read(page)).includes(heading)) return undefined;
  return `${page} has no heading "${heading}"`;
}

/** Why a link of a page leads nowhere. */
function deadLink(from: string, file: string, fragment: string): string | undefined {
  const target = file === '' ? from : path.join(path.dirname(from), file);
  if (!existsSync(path.join(project, target))) return `there is no ${target}`;
  if (fragment === '') return undefined;
  // Of a sample, guides name a region.
  if (!target.endsWith('.md')) return read(target).includes(`#region ${fragment}\n`) ? undefined : `${target} has no region ${fragment}`;
  return headings(read(target)).some((heading) => anchor(heading) === fragment) ? undefined : `${target} has no heading for #${fragment}`;
}

describe('a comment that names a page of docs', () => {
  it('names one that is there, and a heading that it has', () => {
    const all = sources.flatMap((file) => references(read(file)).map(([page, heading]) => ({ file, page, heading })));
    expect(all.length).toBeGreaterThan(100);
    const dead = all.flatMap(({ file, page, heading }) => {
      const why = deadReference(page, heading);
      return why === undefined ? [] : [`${file}: ${why}`];
    });
    expect(dead).toEqual([]);
  });

  it('is found dead when the page or the heading is missing', () => {
    expect(deadReference('docs/nowhere.md', undefined)).toMatch('there is no');
    expect(deadReference('docs/api.md', 'Evnts')).toBe('docs/api.md has no heading "Evnts"');
    expect(references(' * as said (docs/api.md,\n   * Order states; RFC 7636).')).toEqual([['docs/api.md', 'Order states']]);
  });
});

it('has no reference to a document that is not in the repository', () => {
  expect(sources.filter((file) => /\b(?:specification|(?:wire|chain|indexer) facts)[,)]/i.test(read(file)))).toEqual([]);
});

describe('a page that names a file', () => {
  it.each(pages)('names one that is there: %s', (page) => {
    expect(namedPaths(read(page)).filter((file) => !existsSync(path.join(project, file)))).toEqual([]);
  });

  it('is read as naming files and folders, not placeholders', () => {
    expect(namedPaths('`src/chain/fees.ts`, `src/api/<resource>/`, `indexer/`')).toEqual(['src/chain/fees.ts', 'indexer/']);
  });
});

describe('a link between pages', () => {
  it.each(pages)('leads somewhere: %s', (page) => {
    expect(localLinks(read(page)).flatMap(([file, fragment]) => deadLink(page, file, fragment) ?? [])).toEqual([]);
  });

  it('is found dead when the file or the heading is missing', () => {
    expect(deadLink('README.md', 'docs/nowhere.md', '')).toMatch('there is no');
    expect(deadLink('README.md', 'docs/api.md', 'evnts')).toMatch('has no heading');
    expect(deadLink('docs/api.md', '', 'order-states')).toBeUndefined();
  });
});

it('has no heading twice on a page to which comments refer', () => {
  const twice = headings(read('docs/api.md')).filter((heading, index, all) => all.indexOf(heading) !== index);
  expect(twice).toEqual([]);
});

it('keeps the README short enough to be read', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(250);
});
