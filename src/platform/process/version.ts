import { readFileSync } from 'node:fs';

/** The version of this program, such as `1.2.3`. */
export const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string };
