import { readFileSync } from 'node:fs';

/** The samples of the guides, which tests run. */
const folder = new URL('../../../docs/samples/', import.meta.url);

/**
 * The code of a sample, or of the region of it between the lines `#region NAME` and `#endregion`, in a comment of the sample's language. Throws
 * an error that says what is missing.
 */
export function readSample(file: string, region?: string): string {
  const lines = readFileSync(new URL(file, folder), 'utf8').trimEnd().split('\n');
  if (region === undefined) return withoutMarks(lines);
  const start = lines.findIndex((line) => new RegExp(`^\\s*(?://|#) #region ${region}$`).test(line));
  const end = lines.findIndex((line, index) => index > start && /^\s*(?:\/\/|#) #endregion$/.test(line));
  if (start === -1 || end === -1) throw new Error(`docs/samples/${file} has no region ${region}`);
  return withoutMarks(lines.slice(start + 1, end));
}

function withoutMarks(lines: string[]): string {
  return lines.filter((line) => !/^\s*(?:\/\/|#) #(?:end)?region\b/.test(line)).join('\n');
}
