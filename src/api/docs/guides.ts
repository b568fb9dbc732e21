import { Marked, type Tokens } from 'marked';
import { readFileSync } from 'node:fs';
import { escapeHtml } from './markdown.ts';

/** The pages of this repository. */
const folder = new URL('../../../docs/', import.meta.url);

/** The files of docs/guides, in the order in which they are shown. */
const guideNames = ['treasury', 'partner', 'oauth', 'safe', 'webhooks', 'errors', 'going-live'] as const;

/** A guide: `name` is that of its file in docs/guides, `title` its first heading. */
export interface Guide {
  name: string;
  title: string;
}

/** The guides, in the order in which they are shown. */
export function listGuides(): Guide[] {
  return guideNames.map((name) => ({ name, title: /^# (.+)$/m.exec(read(name))?.[1] ?? name }));
}

/**
 * A guide as HTML. Links to samples that stand alone become the code of those samples, and blocks of code name the address `baseUrl` of this
 * deployment in place of that of a sandbox.
 */
export function renderGuide(name: string, baseUrl: string): string {
  const ofThisService = (block: string) =>
    block.replaceAll(sandboxUrl, baseUrl).replaceAll(withoutProtocol(sandboxUrl), withoutProtocol(baseUrl));
  return `<main>\n${markdown.parse(read(name).replaceAll(/^```.*?^```$/gms, ofThisService), { async: false })}</main>`;
}

/** The address of a sandbox, as the guides have it. */
const sandboxUrl = 'http://localhost:3000';
const withoutProtocol = (url: string): string => url.replace(/^\w+:\/\//, '');

/** The sections of a guide: each heading with its text. */
export function guideSections(name: string): { heading: string; id: string; text: string }[] {
  return read(name)
    .split(/^#+ /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return { heading, id: anchor(heading), text: lines.join(' ') };
    });
}

const fileOf = (name: string): URL => new URL(`guides/${name}.md`, folder);
const read = (name: string): string => readFileSync(fileOf(name), 'utf8');

const markdown = new Marked({
  renderer: {
    heading({ tokens, depth, text }: Tokens.Heading): string {
      return `<h${depth} id="${anchor(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    paragraph({ tokens }: Tokens.Paragraph): string {
      const samples = tokens.filter((token): token is Tokens.Link => token.type === 'link' && sampleLink.test((token as Tokens.Link).href));
      const isSample = samples.length > 0 && tokens.every((token) => token.type === 'link' || token.raw.trim() === '');
      return isSample ? samples.map(sample).join('') : `<p>${this.parser.parseInline(tokens)}</p>\n`;
    },
    link({ href, tokens }: Tokens.Link): string {
      return `<a href="${escapeHtml(target(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
  },
});

const sampleLink = /^\.\.\/samples\/([\w.-]+)(?:#([\w-]+))?$/;

function sample({ href, text }: Tokens.Link): string {
  const [, file = '', region] = sampleLink.exec(href) ?? [];
  return `<figure><figcaption>${escapeHtml(text)}</figcaption><pre><code>${escapeHtml(readSample(file, region))}</code></pre></figure>\n`;
}

/** Links between pages lead to guides, to the reference, or away. */
function target(href: string): string {
  const [, name, fragment = ''] = /^([\w-]+)\.md(#.*)?$/.exec(href) ?? [];
  if (name !== undefined) return `${name}${fragment}`;
  if (href.startsWith('../api.md')) return '../../docs';
  return href;
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The samples of the guides, which tests run. */
const samplesFolder = new URL('../../../docs/samples/', import.meta.url);
const mark = /^\s*(?:\/\/|#) #(?:end)?region\b/;

/**
 * The code of a sample, or of the region of it between the lines `#region NAME` and `#endregion`, in a comment of the sample's language. The
 * first region includes what is before it, which says which variables the sample needs. Throws an error that says what is missing.
 */
function readSample(file: string, region?: string): string {
  const lines = readFileSync(new URL(file, samplesFolder), 'utf8').trimEnd().split('\n');
  if (region === undefined) return withoutMarks(lines);
  const start = lines.findIndex((line) => new RegExp(`^\\s*(?://|#) #region ${region}$`).test(line));
  const end = lines.findIndex((line, index) => index > start && /^\s*(?:\/\/|#) #endregion$/.test(line));
  if (start === -1 || end === -1) throw new Error(`docs/samples/${file} has no region ${region}`);
  const isFirst = !lines.slice(0, start).some((line) => mark.test(line));
  return withoutMarks(lines.slice(isFirst ? 0 : start, end));
}

function withoutMarks(lines: string[]): string {
  return lines.filter((line) => !mark.test(line)).join('\n');
}
