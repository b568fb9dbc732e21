import { expect, it } from 'vitest';
import { projectFiles, read } from './pages.ts';

const pages = projectFiles('*.md', 'client/*.md', 'console/**/*.md', 'docs/**/*.md', 'examples/**/*.md', 'src/**/*.md');

/** What begins a paragraph, an item, a row, a heading, a picture or fenced code, or is none of these. */
const isBegun = /^\s*(?:$|[-*|#<>!]|\d+\. |```)/;

/** The lines of prose that end within a sentence and go on in the next: a change of a word should be a change of a sentence in a review. */
function brokenLines(markdown: string): string[] {
  const lines = markdown.replaceAll(/^ *```.*?^ *```$/gms, '```\n```').split('\n');
  return lines.filter(
    (line, index) => !/^\s*(?:$|[|#<]|```)/.test(line) && !isBegun.test(lines[index + 1] ?? '') && !/[.:!?…]["*`)]*$/.test(line),
  );
}

it.each(pages)('ends its lines where sentences end: %s', (page) => {
  expect(brokenLines(read(page))).toEqual([]);
});

it('sees a line that is broken, and no code', () => {
  expect(brokenLines('One sentence that\nis broken.\nAnother (whole.)\n- an item that\n  goes on')).toEqual([
    'One sentence that',
    '- an item that',
  ]);
  expect(brokenLines('Before\n\n```sh\necho one \\\n  two\n```\n| a | b |\n|---|---|\n| c | d |')).toEqual([]);
});
