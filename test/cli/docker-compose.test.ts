import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadSettings, networkVariables, settingVariables } from '../../src/platform/settings.ts';
import { mintrail } from '../support/processes/mintrail.ts';

interface Service {
  command: string[];
  image: string;
  environment: Record<string, string>;
  stopSignal: string | undefined;
  secrets: string[];
}

const known = new Set([...settingVariables(), ...networkVariables()]);

describe('docker-compose.yml', () => {
  const services = readServices();
  const own = Object.entries(services).filter(([, { image }]) => image === 'mintrail');

  it('has a process for every part of every network', () => {
    expect(own.map(([, { command }]) => command.join(' ')).sort()).toEqual([
      'api',
      'indexer --chain chiado',
      'indexer --chain sepolia',
      'migrate',
      'worker --chain chiado',
      'worker --chain sepolia',
      'worker --common',
    ]);
  });

  it.each(own)('%s runs a command that exists, under settings that exist', async (_, { command, environment }) => {
    expect((await mintrail([...command, '--help'])).code).toBe(0);
    for (const name of Object.keys(environment)) expect(known).toContain(name);
    const address = `0x${'1'.repeat(40)}`;
    // As compose fills them in: what has a default gets it, what must be set gets an example.
    const example = (name: string) =>
      name.endsWith('_TOKENS') ? `eur:${address}` : name.endsWith('_RPC_URLS') ? 'https://rpc.example' : 'secret';
    const filled = Object.entries(environment).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{(\w+):([-?])([^}]*)\}/g, (__, variable: string, kind: string, text: string) =>
        kind === '-' ? text : example(variable),
      ),
    ]);
    expect(() => loadSettings(Object.fromEntries(filled) as Record<string, string>)).not.toThrow();
  });

  it('keeps the keys of a network to the one worker that needs them', () => {
    const holders = own.filter(([, { environment }]) => Object.keys(environment).some((name) => /_SIGNERS$|_KEYSTORE/.test(name)));
    expect(holders.map(([name]) => name)).toEqual(['worker-chiado', 'worker-sepolia']);
    expect(Object.entries(services).flatMap(([name, { secrets }]) => (secrets.length > 0 ? [[name, secrets]] : []))).toEqual([
      ['migrate', ['secrets-key']],
      ['api', ['secrets-key']],
      ['worker-common', ['secrets-key']],
      ['worker-chiado', ['chiado-keystore', 'chiado-password']],
      ['worker-sepolia', ['sepolia-keystore', 'sepolia-password']],
    ]);
    expect(Object.keys(services['api']?.environment ?? {}).filter((name) => /RPC|SIGNER|KEYSTORE/.test(name))).toEqual([]);
  });

  it('hands the key that seals secrets to the processes that need it, in a file', () => {
    const holders = own.filter(([, { environment }]) => environment['SECRETS_KEY'] !== undefined);
    expect(holders.map(([name]) => name)).toEqual(['migrate', 'api', 'worker-common']);
    for (const [, { environment }] of holders) expect(environment['SECRETS_KEY']).toBe('file:/run/secrets/secrets-key');
  });

  it('signs with an encrypted keystore whose password is in a file, both handed in as secrets', () => {
    const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
    for (const chain of ['chiado', 'sepolia']) {
      const { environment = {}, secrets = [] } = services[`worker-${chain}`] ?? {};
      for (const secret of secrets) expect(text).toMatch(new RegExp(`^  ${secret}: \\{ file: secrets/`, 'm'));
      expect(environment[`${chain.toUpperCase()}_SIGNERS`]).toBe(
        `\${${chain.toUpperCase()}_SIGNERS:-keystore:/run/secrets/${chain}-keystore}`,
      );
      expect(environment[`${chain.toUpperCase()}_KEYSTORE_PASSWORD`]).toBe(`file:/run/secrets/${chain}-password`);
    }
  });

  it('stops indexers by SIGINT, on which Ponder lets go of its lock', () => {
    for (const [name, { stopSignal }] of own) expect(stopSignal).toBe(name.startsWith('indexer') ? 'SIGINT' : undefined);
  });

  it('keeps the queues in Redis', () => {
    for (const [, { environment }] of own) expect(environment['REDIS_URL']).toBe('redis://redis:6379');
  });

  it('builds an image from files that exist', () => {
    const dockerfile = readFileSync(new URL('../../Dockerfile', import.meta.url), 'utf8');
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files]) => files?.split(' ') ?? []);
    expect(copied.length).toBeGreaterThan(4);
    for (const file of copied) expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
  });
});

/** Enough of YAML for this one file: anchors, merges, and two levels below each service. */
function readServices(): Record<string, Service> {
  const text = readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  return Object.fromEntries(
    [...blocks(block(text, 'services'))].map(([name, body]) => {
      const inherited = body.includes('<<: *service') ? block(text, 'x-service') : '';
      const environment = block(body, 'environment');
      const merged = [...`${environment}${/^ *environment: (\*.*)$/m.exec(body)?.[1] ?? ''}`.matchAll(/\*(\w+)/g)]
        .map(([, anchor]) => block(text, `x-${anchor}`))
        .join('\n');
      const service: Service = {
        command: list(/^ *command: \[(.*)\]$/m.exec(body)?.[1]),
        image: /^ *image: (\S+)$/m.exec(`${body}\n${inherited}`)?.[1] ?? '',
        environment: Object.fromEntries(
          [...`${merged}\n${environment}`.matchAll(/^ *([A-Z_]+): (.*)$/gm)].map(([, key, value]) => [key, unquoted(value ?? '')]),
        ) as Record<string, string>,
        secrets: list(/^ *secrets: \[(.*)\]$/m.exec(body)?.[1]),
        stopSignal: /^ *stop_signal: (\S+)$/m.exec(body)?.[1],
      };
      return [name, service];
    }),
  );
}

/** The lines below a key that are indented further than it. */
function block(text: string, key: string): string {
  const lines = text.split('\n');
  const begin = lines.findIndex((line) => new RegExp(`^ *${key}:`).test(line));
  if (begin < 0) return '';
  const depth = indent(lines[begin] ?? '');
  const length = lines.slice(begin + 1).findIndex((line) => line.trim() !== '' && indent(line) <= depth);
  return lines.slice(begin + 1, length < 0 ? undefined : begin + 1 + length).join('\n');
}

function* blocks(text: string): Generator<[string, string]> {
  for (const [, name = ''] of text.matchAll(/^ {2}([\w-]+):$/gm)) yield [name, block(text, name)];
}

function list(text = ''): string[] {
  return text
    .split(',')
    .map((item) => unquoted(item.trim()))
    .filter(Boolean);
}

function unquoted(text: string): string {
  return text.replaceAll(/^['"]|['"]$/g, '');
}

function indent(line: string): number {
  return line.length - line.trimStart().length;
}
