import { globSync, readFileSync } from 'node:fs';

/** The bodies of the interfaces that name the ledger's tables (src/ledger/tables), one behind the other. */
export function tableInterfaces(): string {
  const texts = globSync('src/ledger/tables/*.ts').map((file) => readFileSync(file, 'utf8'));
  return [...texts.join('\n').matchAll(/^export interface \w+Tables \{\n(.*?)^\}/gms)].map(([, body = '']) => body).join('\n');
}
