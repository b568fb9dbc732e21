import { readFileSync } from 'node:fs';

/** The samples of the guides, which tests run. */
const folder = new URL('../../../docs/samples/', import.meta.url);
const mark = /^\s*(?:\/\/|#) #(?:end)?region\b/;

/**
 * The code of a sample, or of the region of it between the lines `#region NAME` and `#endregion`, in a comment of the sample's language. The
 * first region includes what is before it, which says which variables the sample needs. Throws an error that says what is missing.
 */
export function readSample(file: string, region?: string): string {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n');
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
