import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { loadServiceSettings, type ProcessScope } from '../../src/platform/service-settings.ts';
import { networkVariables, settingVariables } from '../../src/platform/settings.ts';

describe('examples/kubernetes', () => {
  const models = { ConfigMap, Deployment, Job, NetworkPolicy, PersistentVolumeClaim, PodDisruptionBudget, Service };
  interface Manifest {
    kind: keyof typeof models;
    metadata: { name: string };
    data: Record<string, string>;
    spec: { template: { spec: { containers: Container[]; volumes: { name: string }[] } } };
  }
  interface Container {
    args: string[];
    env: { name: string; value?: string }[];
    volumeMounts: { name: string }[];
  }
  const folder = 'examples/kubernetes';
  const manifests = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(readFileSync(`${folder}/${name}`, 'utf8')).map((document) => document.toJS() as Manifest));
  const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template.spec);
  const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};

  it.each(manifests.map((manifest) => [`${manifest.kind} ${manifest.metadata.name}`, manifest] as const))(
    '%s is as Kubernetes has it',
    (_, manifest) => {
      const Model = models[manifest.kind] as new (data: object) => { validate(): void };
      expect(() => new Model(manifest).validate()).not.toThrow();
    },
  );

  it('has what the schema refuses refused', () => {
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(() => new Deployment({ ...deployment, spec: { replicas: 'two' } } as never).validate()).toThrow(/replicas|selector/);
  });

  it('mounts volumes that it has, and sets settings that exist', () => {
    const known = new Set([...settingVariables(), ...networkVariables()]);
    expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
    for (const { containers, volumes } of pods)
      for (const { env, volumeMounts } of containers) {
        expect(env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
        expect(volumeMounts.map(({ name }) => name).filter((name) => !volumes.some((volume) => volume.name === name))).toEqual([]);
      }
  });

  it('gives each process what production needs of it, and a key of a signer to its worker alone', () => {
    const scopes: Record<string, ProcessScope> = {
      api: { api: true },
      'worker --common': { common: true },
      'worker --chain gnosis': { workerChains: ['gnosis'] },
      'indexer --chain gnosis': { indexerChains: ['gnosis'] },
    };
    for (const { containers } of pods)
      for (const { args, env } of containers) {
        const variables = Object.fromEntries(env.map(({ name, value }) => [name, value ?? placeholder(name)]));
        const scope = scopes[args.join(' ')];
        if (scope) expect(() => loadServiceSettings(scope, { ...settings, ...variables }), args.join(' ')).not.toThrow();
        expect('GNOSIS_SIGNERS' in variables, args.join(' ')).toBe(args.join(' ') === 'worker --chain gnosis');
      }
    const commands = pods.map(({ containers }) => containers[0]?.args.join(' ') ?? '');
    expect(new Set(commands)).toEqual(new Set(['migrate', ...Object.keys(scopes)]));
  });
});

const hasSystemd = (() => {
  try {
    execFileSync('systemd-analyze', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe.runIf(hasSystemd)('examples/systemd', () => {
  const folder = 'examples/systemd';
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'));

  it('has nothing to complain of for systemd-analyze verify', () => {
    const copies = mkdtempSync(path.join(tmpdir(), 'mintrail-units-'));
    try {
      for (const name of units) {
        // verify looks for the programs: here they are elsewhere.
        const text = readFileSync(`${folder}/${name}`, 'utf8')
          .replaceAll('/opt/mintrail', path.resolve('.'))
          .replaceAll('/usr/bin/node', process.execPath);
        writeFileSync(path.join(copies, name), text);
      }
      const instances = units.map((name) => path.join(copies, name.replace('@', '@gnosis')));
      const result = verify(instances);
      expect(result.filter((line) => line.includes('mintrail'))).toEqual([]);
    } finally {
      rmSync(copies, { recursive: true, force: true });
    }
  }, 60_000);
});

/** A value of what comes from a Secret. */
function placeholder(name: string): string {
  return name === 'DATABASE_URL' ? 'postgresql://mintrail@postgres/mintrail' : 'https://one.example,https://two.example';
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
