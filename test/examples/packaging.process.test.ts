import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import type { Chain } from '../../src/platform/chains.ts';
import { loadServiceSettings, type ProcessScope } from '../../src/platform/service-settings.ts';
import { type Environment, networkVariables, settingVariables } from '../../src/platform/settings.ts';

describe('examples/kubernetes', () => {
  const models = { ConfigMap, Deployment, Job, NetworkPolicy, PersistentVolumeClaim, PodDisruptionBudget, Service };
  interface Manifest {
    kind: keyof typeof models;
    metadata: { name: string };
    data: Record<string, string>;
    spec: {
      template: { spec: { containers: Container[]; volumes: { name: string }[]; enableServiceLinks?: boolean } };
      type?: string;
      podSelector?: { matchLabels: Record<string, string> };
      ingress?: { from?: { namespaceSelector: { matchLabels: Record<string, string> } }[]; ports: { port: number }[] }[];
    };
  }
  interface Container {
    args: string[];
    env: { name: string; value?: string }[];
    volumeMounts: { name: string }[];
    ports?: { name: string; containerPort: number }[];
  }
  const folder = 'examples/kubernetes';
  const manifests = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .flatMap((name) => parseAllDocuments(readFileSync(`${folder}/${name}`, 'utf8')).map((document) => document.toJS() as Manifest));
  const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template.spec);
  const settings = manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};
  const [, imageLine = ''] = /^ENV (.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const image = parseEnv(imageLine.replaceAll(' ', '\n')) as Record<string, string>;
  const services = manifests.filter(({ kind }) => kind === 'Service');
  /** What Kubernetes puts into the pods of a namespace with these Services, and with others whose names are the beginning of a setting. */
  const serviceLinks = Object.fromEntries(
    [...services.map(({ metadata }) => metadata.name.toUpperCase()), 'REDIS', 'METRICS', 'INDEXER'].flatMap((name) => [
      [`${name}_SERVICE_HOST`, '10.96.0.1'],
      [`${name}_SERVICE_PORT`, '3010'],
      [`${name}_PORT`, 'tcp://10.96.0.1:3010'],
      [`${name}_PORT_3010_TCP_ADDR`, '10.96.0.1'],
    ]),
  ) as Record<string, string>;

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
      console: { console: true },
      'worker --common': { common: true },
      'worker --chain gnosis': { workerChains: ['gnosis'] },
      'indexer --chain gnosis': { indexerChains: ['gnosis'] },
    };
    for (const { containers, enableServiceLinks } of pods)
      for (const { args, env } of containers) {
        const command = args.join(' ');
        const own = Object.fromEntries(env.map(({ name, value }) => [name, value ?? placeholder(name)]));
        const variables = { ...image, ...settings, ...own };
        const scope = scopes[command];
        const load = (env: Environment) => (scope ? loadServiceSettings(scope, env) : cliSettings(env));
        const loaded = load(variables);
        expect(loaded, command).toMatchObject({
          host: '0.0.0.0',
          networks: { gnosis: { startBlock: expect.toSatisfy((block) => block > 0) as number } },
        });
        expect(loaded.smtpUrl !== undefined, command).toBe(['api', 'worker --common'].includes(command));
        expect('GNOSIS_SIGNERS' in own, command).toBe(command === 'worker --chain gnosis');
        // A manifest that is copied may lose the line.
        expect(enableServiceLinks, command).toBe(false);
        expect(load({ ...serviceLinks, ...variables }), command).toEqual(loaded);
      }
    for (const { containers } of pods)
      for (const { args, env, ports = [] } of containers.filter(({ args: [command] }) => command !== 'migrate')) {
        expect(env.find(({ name }) => name === 'METRICS_PORT')?.value, args.join(' ')).toBe('9464');
        expect(ports, args.join(' ')).toContainEqual({ name: 'metrics', containerPort: 9464 });
      }
    const commands = pods.map(({ containers }) => containers[0]?.args.join(' ') ?? '');
    expect(new Set(commands)).toEqual(new Set(['migrate', ...Object.keys(scopes)]));
  });

  it('lets nobody into the console but the operators, and nobody from outside', () => {
    expect(services.filter(({ spec }) => !['ClusterIP', undefined].includes(spec.type)).map(({ metadata }) => metadata.name)).toEqual([]);
    expect(manifests.map(({ kind }) => kind)).not.toContain('Ingress');
    const policies = manifests.filter(
      ({ kind, spec }) => kind === 'NetworkPolicy' && spec.podSelector?.matchLabels['component'] === 'console',
    );
    const rules = policies.flatMap(({ spec }) => spec.ingress ?? []);
    const allowed = rules.map(({ from = [], ports }) => [
      from.map(({ namespaceSelector }) => Object.values(namespaceSelector.matchLabels)),
      ports,
    ]);
    expect(allowed).toEqual([[[['operators']], [{ protocol: 'TCP', port: 3010 }]]]);
  });

  it.runIf(spawnSync('promtool', ['--version']).status === 0)('has a Prometheus find the pods', () => {
    interface ScrapeConfig {
      job_name: string;
      kubernetes_sd_configs?: object[];
      relabel_configs: { source_labels: string[]; regex: string; target_label?: string }[];
    }
    const [everywhere, here] = ['deploy/prometheus/prometheus.yml', `${folder}/monitoring/scrape.yml`].map(
      (file) => parse(readFileSync(file, 'utf8')) as { scrape_configs: ScrapeConfig[] },
    );
    const [{ kubernetes_sd_configs: discovery, ...scrape } = {} as ScrapeConfig] = here?.scrape_configs ?? [];
    expect(scrape.job_name).toBe(everywhere?.scrape_configs[0]?.job_name);
    expect(discovery).toEqual([{ role: 'pod', selectors: [{ role: 'pod', label: 'app=mintrail' }] }]);
    const processes = scrape.relabel_configs.find(({ target_label }) => target_label === 'process');
    const components = manifests.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
    for (const name of components) expect(name).toMatch(new RegExp(`^(?:${processes?.regex})$`));

    const copies = mkdtempSync(path.join(tmpdir(), 'mintrail-scrape-'));
    try {
      copyFileSync('deploy/prometheus/rules.yml', path.join(copies, 'rules.yml'));
      // Debian builds its Prometheus without Kubernetes.
      const known = { ...everywhere, scrape_configs: [{ ...scrape, file_sd_configs: [{ files: ['none.json'] }] }] };
      writeFileSync(path.join(copies, 'prometheus.yml'), stringify(known));
      const checked = spawnSync('promtool', ['check', 'config', '--syntax-only', path.join(copies, 'prometheus.yml')], {
        encoding: 'utf8',
      });
      expect(checked.status, checked.stderr).toBe(0);
    } finally {
      rmSync(copies, { recursive: true, force: true });
    }
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

/** A value of what comes from a Secret. */
function placeholder(name: string): string {
  if (name === 'SMTP_URL') return 'smtp://mintrail:secret@mail.example:587';
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
