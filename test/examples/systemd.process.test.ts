import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Chain } from '../../src/platform/chains.ts';
import { loadServiceSettings, type ProcessScope } from '../../src/cli/services/service-settings.ts';

const hasSystemd = (() => {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('examples/systemd', () => {
  const folder = 'examples/systemd';
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'));

  it('has settings with which each process starts, a key of a signer for its worker alone, and a port for the metrics of each', () => {
    const ports = new Map<string, string>();
    for (const name of units) {
      const { command, variables } = readUnit(`${folder}/${name}`);
      const [scope] = command;
      if (scope === 'migrate') continue;
      expect(() => loadServiceSettings(scopeOf(command), variables), name).not.toThrow();
      expect('GNOSIS_SIGNERS' in variables, name).toBe(name === 'mintrail-worker@.service');
      expect(variables['METRICS_PORT'], name).toMatch(/^\d+$/);
      ports.set(`127.0.0.1:${variables['METRICS_PORT']}`, scope ?? '');
    }
    const targets = JSON.parse(readFileSync(`${folder}/targets.json`, 'utf8')) as { targets: string[]; labels: { process: string } }[];
    expect(new Map(targets.flatMap((list) => list.targets.map((target) => [target, list.labels.process])))).toEqual(ports);
  });

  it('listens with the console on the machine itself', () => {
    expect(readUnit(`${folder}/mintrail-console.service`).variables).toMatchObject({ CONSOLE_HOST: '127.0.0.1', TRUST_PROXY: '0' });
  });

  it.runIf(hasSystemd)('has nothing to complain of for systemd-analyze verify', () => {
    const copies = mkdtempSync(path.join(tmpdir(), 'mintrail-units-'));
    try {
      for (const name of units) {
        // verify looks for the programs: here they are elsewhere.
        const text = readFileSync(`${folder}/${name}`, 'utf8')
          .replaceAll('/opt/mintrail', path.resolve('.'))
          .replaceAll('/usr/bin/node', process.execPath);
        writeFileSync(path.join(copies, name), text);
      }
      // Who is kept from the role of a machine with keys in AWS KMS.
      for (const name of units.filter((unit) => !/migrate|worker@/.test(unit))) {
        const folderOfUnit = path.join(copies, `${name.replace('@', '@gnosis')}.d`);
        mkdirSync(folderOfUnit);
        copyFileSync('examples/kms/no-role.conf', path.join(folderOfUnit, 'no-role.conf'));
      }
      const instances = units.map((name) => path.join(copies, name.replace('@', '@gnosis')));
      const result = verify(instances);
      expect(result.filter((line) => line.includes('mintrail'))).toEqual([]);
    } finally {
      rmSync(copies, { recursive: true, force: true });
    }
  });
});

/** What a unit starts, and with which variables. The files below `/etc/mintrail` are those of the same name beside it; of a template it is the instance `gnosis`. */
function readUnit(file: string): { command: string[]; variables: Record<string, string> } {
  const text = readFileSync(file, 'utf8').replaceAll('%i', 'gnosis').replaceAll('%d', '/run/credentials');
  const values = (name: string) => [...text.matchAll(new RegExp(`^${name}=-?(.*)$`, 'gm'))].map(([, value = '']) => value);
  const files = values('EnvironmentFile').map((name) => readFileSync(path.join(path.dirname(file), path.basename(name)), 'utf8'));
  const own = values('Environment').join('\n');
  // Of systemd the files count more than the lines of the unit.
  const variables = Object.fromEntries([own, ...files].flatMap((source) => Object.entries(parseEnv(source)))) as Record<string, string>;
  const [, command = ''] = values('ExecStart')[0]?.split('mintrail.mjs ') ?? [];
  return { command: command.split(' '), variables };
}

function scopeOf([command, option, chain]: string[]): ProcessScope {
  if (command === 'indexer') return { indexerChains: [chain as Chain] };
  if (command === 'worker') return option === '--common' ? { common: true } : { workerChains: [chain as Chain] };
  return command === 'api' ? { api: true } : { console: true };
}

/** What systemd-analyze says of units. Of a template an instance is looked at. */
function verify(files: string[]): string[] {
  for (const file of files) {
    const template = file.replace('@gnosis', '@');
    if (template !== file) writeFileSync(file, readFileSync(template));
  }
  try {
    return execFileSync('sh', ['-c', `systemd-analyze verify --man=no --recursive-errors=no ${files.join(' ')} 2>&1`], {
      encoding: 'utf8',
    }).split('\n');
  } catch (error) {
    return (error as { stdout: string }).stdout.split('\n');
  }
}
