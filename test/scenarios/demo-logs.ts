import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isValidIBAN } from 'ibantools';
import type { Instance } from '../../sandbox/instance.ts';

/** All that the processes of the sandbox logged, by the name of the file. */
export function readLogs(dataDir: string): [string, string][] {
  const folder = path.join(dataDir, 'logs');
  return readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]);
}

/** The secrets of this sandbox: the key that seals, the words of its accounts, the keys of signers, and what its applications authenticate with. */
export function secretsOf(dataDir: string): string[] {
  const fileText = (name: string) => readFileSync(path.join(dataDir, name), 'utf8').trim();
  const { mnemonic, application, partner, maker } = JSON.parse(fileText('instance.json')) as Instance;
  const keys = [...fileText('environment.json').matchAll(/0x[0-9a-f]{64}/g)].map(([key]) => key.slice(2));
  const credentials = [application, partner, maker].map((one) => one?.clientSecret ?? '');
  return [
    fileText('secrets.key'),
    mnemonic,
    ...keys.filter((key) => !fileText('sandbox.json').includes(`"genesis": "0x${key}`)),
    ...credentials,
  ];
}

/** What is known of persons in a text: IBANs, and the names, streets and e-mail addresses of the sandbox and the demo. */
export function personalData(text: string): string[] {
  const accounts = [...text.matchAll(/(?<![A-Za-z0-9])[A-Z]{2}\d{2}[A-Z0-9]{11,30}/g)]
    .map(([account]) => account)
    .filter((account) => isValidIBAN(account));
  return [...accounts, ...(text.match(/Karlsson|Jónsson|Laugavegur|1990-02-28|Demo User|Market Maker|[\w.+-]+@[\w-]+\.[a-z]+/g) ?? [])];
}

/** Secrets that were made during the demo, by their form. */
export const madeSecrets = /whsec_[A-Za-z0-9+/]{8}|Bearer \S{8}|"(access|refresh)_token"/g;

/** A line of a process, as far as it names requests and orders. */
export interface LogLine {
  msg: string;
  /** In lines of a network's worker. */
  chain?: string;
  correlationId?: string;
  correlationIds?: string[];
  orderId?: string;
  orderIds?: string[];
  method?: string;
  path?: string;
  status?: number;
}

/** The lines of the processes whose log has a name like this. */
export function linesOf(dataDir: string, name: RegExp): LogLine[] {
  const lines = readLogs(dataDir).flatMap(([file, text]) => (name.test(file) ? text.split('\n') : []));
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
}

/** The correlation ids that lines name; `none` for a line that names none. */
export const requestsOf = (lines: LogLine[]) => new Set(lines.flatMap((line) => line.correlationIds ?? line.correlationId ?? 'none'));

/** Those with a message. */
export const named = (lines: LogLine[], msg: string) => lines.filter((line) => line.msg === msg);

/** Requests of orders whose dependent order is issued on another chain: no payment leaves for them. */
export function issuedElsewhere(dataDir: string): Set<string> {
  const chainsOf = new Map<string, Set<string>>();
  for (const { msg, chain = '', correlationIds = [] } of linesOf(dataDir, /^worker\.log$/))
    if (msg === 'legs settled') for (const id of correlationIds) chainsOf.set(id, (chainsOf.get(id) ?? new Set()).add(chain));
  return new Set([...chainsOf].flatMap(([id, chains]) => (chains.size > 1 ? [id] : [])));
}
