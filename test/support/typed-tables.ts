import { globSync, readFileSync } from 'node:fs';

/** The bodies of the interfaces that name the ledger's tables (src/ledger/tables), one behind the other. */
export function tableInterfaces(): string {
  const sources = globSync('src/ledger/tables/*.ts').map((file) => readFileSync(file, 'utf8'));
  const interfaces = sources.join('\n').matchAll(/^export interface \w+Tables \{\n(.*?)^\}/gms);
  return [...interfaces].map(([, body = '']) => body).join('\n');
}
