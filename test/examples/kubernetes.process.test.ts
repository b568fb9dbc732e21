import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import S3rver from '@20minutes/s3rver';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Namespace, PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { hexToBytes } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { encryptKeystore } from '../../src/chain/signers/keystore-v3.ts';
import { networkVariables, settingVariables } from '../../src/platform/settings.ts';
import { quickCost } from '../chain/signers/vectors.ts';
import { operator, startTestNetwork, type TestNetwork } from '../support/chain/network.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { deployedProcesses, onThisMachine } from '../support/processes/deployed-process.ts';
import { mintrail } from '../support/processes/mintrail.ts';
import { noRedis, startTestRedis, type TestRedis } from '../support/processes/redis.ts';
import {
  files,
  folder,
  image,
  type Manifest,
  manifests,
  manifestsOf,
  namedFiles,
  overlay,
  type Pod,
  pods,
  serviceLinks,
  settings,
} from './kubernetes-manifests.ts';

const models = { ConfigMap, Deployment, Job, Namespace, NetworkPolicy, PersistentVolumeClaim, PodDisruptionBudget, Service };
const isValid = (manifest: Manifest) => {
  const Model = models[manifest.kind as keyof typeof models] as new (data: object) => { validate(): void };
  expect(() => new Model(manifest).validate(), `${manifest.kind} ${manifest.metadata.name}`).not.toThrow();
};
const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`;
const commandOf = ({ containers }: Pod) => containers[0]?.args.join(' ') ?? '';

/** Which the SDK of AWS reads by itself. */
const credentials = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

/** A program that keeps a file and reads it again, as the API and the console do. */
const keepsFile = `
  import { writeFileSync } from 'node:fs';
  import { loadSettings } from './src/platform/settings.ts';
  import { openFileStorage } from './src/platform/storage.ts';
  const storage = await openFileStorage(loadSettings());
  writeFileSync(storage.arriving('a'), 'content');
  await storage.keep('a', { id: 'a', type: 'text/plain', size: 7 });
  process.stdout.write(Buffer.concat(await (await storage.read('a')).toArray()));`;

describe('examples/kubernetes', () => {
  it('is as Kubernetes has it', () => manifests.forEach(isValid));

  it('has what the schema refuses refused', () => {
    const deployment = manifests.find(({ kind }) => kind === 'Deployment');
    expect(() => new Deployment({ ...deployment, spec: { replicas: 'two' } } as never).validate()).toThrow(/replicas|selector/);
  });

  it('names every file in a kustomization', () => {
    expect(namedFiles(overlay).toSorted()).toEqual(files.toSorted());
  });

  it.runIf(spawnSync('kubectl', ['version', '--client']).status === 0)('is rendered by Kustomize', () => {
    const rendered = manifestsOf(execFileSync('kubectl', ['kustomize', overlay], { encoding: 'utf8' }));
    rendered.forEach(isValid);
    const configMap = rendered.find(({ kind }) => kind === 'ConfigMap');
    expect(configMap?.data).toEqual(settings);
    expect(
      rendered
        .filter(({ kind }) => kind !== 'ConfigMap')
        .map(nameOf)
        .toSorted(),
    ).toEqual(manifests.map(nameOf).toSorted());
    for (const { kind, metadata, spec } of rendered) {
      expect(metadata.namespace).toBe(kind === 'Namespace' ? undefined : 'mintrail');
      if (kind !== 'Deployment' && kind !== 'Job') continue;
      const [container] = spec.template.spec.containers;
      expect(container).toMatchObject({
        image: 'registry.example/mintrail:0.1.0',
        envFrom: [{ configMapRef: { name: configMap?.metadata.name } }],
      });
    }
    // What README.md applies first, by label.
    const first = rendered.filter(({ metadata }) => ['settings', 'migrate'].includes(metadata.labels?.['component'] ?? ''));
    expect(first.map(({ kind }) => kind).toSorted()).toEqual(['ConfigMap', 'Job']);
  });

  it('mounts volumes that it has, and sets settings that exist', () => {
    // AWS's own names of where its bucket is.
    const known = new Set([...settingVariables(), ...networkVariables(), ...credentials, 'AWS_REGION', 'AWS_ENDPOINT_URL_S3']);
    expect(Object.keys(settings).filter((name) => !known.has(name))).toEqual([]);
    for (const { containers, volumes } of pods)
      for (const { env, volumeMounts } of containers) {
        expect(env.map(({ name }) => name).filter((name) => !known.has(name))).toEqual([]);
        expect(volumeMounts.map(({ name }) => name).filter((name) => !volumes.some((volume) => volume.name === name))).toEqual([]);
      }
  });

  it('gives the key of a signer to its worker alone, and everybody else a port for metrics', () => {
    for (const pod of pods) {
      const [{ env, ports = [] } = { env: [] }] = pod.containers;
      const command = commandOf(pod);
      expect(
        env.some(({ name }) => name === 'GNOSIS_SIGNERS'),
        command,
      ).toBe(command === 'worker --chain gnosis');
      expect(
        env.some(({ name }) => name === 'SMTP_URL'),
        command,
      ).toBe(['api', 'worker --common'].includes(command));
      const ofBucket = env.map(({ name }) => name).filter((name) => credentials.includes(name));
      expect(ofBucket, command).toEqual(['api', 'console'].includes(command) ? credentials : []);
      // A manifest that is copied may lose the line.
      expect(pod.enableServiceLinks, command).toBe(false);
      if (command === 'migrate') continue;
      expect(env.find(({ name }) => name === 'METRICS_PORT')?.value, command).toBe('9464');
      expect(ports, command).toContainEqual({ name: 'metrics', containerPort: 9464 });
    }
  });

  it('lets nobody into the console but the operators, and nobody from outside', () => {
    const services = manifests.filter(({ kind }) => kind === 'Service');
    expect(services.filter(({ spec }) => !['ClusterIP', undefined].includes(spec.type)).map(nameOf)).toEqual([]);
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

describe.skipIf(noRedis !== undefined)('the containers of examples/kubernetes, with exactly the environment of their manifests', () => {
  const machine = mkdtempSync(path.join(tmpdir(), 'mintrail-kubernetes-'));
  const processes = deployedProcesses();
  let database: TestDatabase;
  let network: TestNetwork;
  let redis: TestRedis;
  /** What the Secrets have, by name and key. */
  let secrets: Record<string, Record<string, string>>;

  beforeAll(async () => {
    [database, redis] = await Promise.all([createTestDatabase(), startTestRedis()]);
    network = await startTestNetwork({ databaseUrl: database.url, chain: 'gnosis' });
    const keystore = await encryptKeystore(hexToBytes(operator.privateKey), operator.address, 'secret', quickCost);
    secrets = {
      'mintrail-database': { url: database.url },
      'mintrail-secrets-key': { 'secrets-key': Buffer.alloc(32, 7).toString('base64') },
      'mintrail-mail': { url: 'smtp://127.0.0.1:1' },
      // Those of the server of this test.
      'mintrail-files': { 'access-key-id': 'S3RVER', 'secret-access-key': 'S3RVER' },
      'gnosis-endpoints': { urls: network.anvil.url },
      'gnosis-signer': { 'operator.json': keystore, 'operator-password': 'secret' },
    };
    for (const [name, keys] of Object.entries(secrets)) {
      mkdirSync(path.join(machine, name));
      for (const [key, value] of Object.entries(keys)) writeFileSync(path.join(machine, name, key), value, { mode: 0o600 });
    }
    for (const name of ['inbox', 'outbox']) mkdirSync(path.join(machine, 'bank', name), { recursive: true });
  });
  afterAll(async () => {
    await processes.end();
    await Promise.all([network?.close(), redis?.close()]);
    await database?.drop();
    rmSync(machine, { recursive: true, force: true });
  });

  /** The folder of this machine that stands for a volume. */
  function folderOf({ volumes }: Pod, volume: string, command: string): string {
    const { secret, persistentVolumeClaim } = volumes.find(({ name }) => name === volume) ?? {};
    return path.join(machine, secret?.secretName ?? persistentVolumeClaim?.claimName ?? `${command} ${volume}`);
  }

  /** The variables of a pod's container; what no volume is mounted at cannot be written, as its root file system is read-only. */
  async function variablesOf(pod: Pod): Promise<Record<string, string>> {
    const [container] = pod.containers;
    const own = (container?.env ?? []).map(({ name, value, valueFrom }) => {
      const { name: secret = '', key = '' } = valueFrom?.secretKeyRef ?? {};
      return [name, value ?? secrets[secret]?.[key] ?? `no key ${key} of ${secret}`];
    });
    const here = { GNOSIS_TOKENS: `eur:${network.tokens.eur}`, GNOSIS_START_BLOCK: '1', REDIS_URL: redis.url };
    const all = { ...image, ...serviceLinks, ...settings, ...here, ...(Object.fromEntries(own) as Record<string, string>) };
    const mounts = (container?.volumeMounts ?? []).map(({ name, mountPath }) => [mountPath, folderOf(pod, name, commandOf(pod))] as const);
    const mounted = (value: string) => {
      const file = value.replace(/^(file|keystore):/, '');
      const [at = '', from = ''] = mounts.find(([mountPath]) => file === mountPath || file.startsWith(`${mountPath}/`)) ?? [];
      return at === '' ? value.replace(/^\/var\/lib\//, '/dev/null/') : value.replace(at, from);
    };
    return onThisMachine(Object.fromEntries(Object.entries(all).map(([name, value]) => [name, mounted(value)])));
  }

  it('start, with the service links that a cluster adds where nobody keeps them out', async () => {
    const isMigration = (pod: Pod) => commandOf(pod) === 'migrate';
    for (const pod of pods.filter(isMigration)) expect(await mintrail(['migrate'], await variablesOf(pod))).toMatchObject({ code: 0 });
    const started = pods.filter((pod) => !isMigration(pod));
    expect(new Set(started.map(commandOf))).toEqual(
      new Set(['api', 'console', 'worker --common', 'worker --chain gnosis', 'indexer --chain gnosis']),
    );
    await Promise.all(started.map(async (pod) => processes.start(commandOf(pod), commandOf(pod).split(' '), await variablesOf(pod))));
  });

  it('keep uploaded files in the bucket of the settings, with the credentials of the Secret alone', async () => {
    const configureBuckets = [{ name: settings['FILES_S3_BUCKET'] ?? '' }];
    const bucket = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: path.join(machine, 's3'), configureBuckets });
    const { port } = await bucket.run();
    const keep = async (pod: Pod) => {
      const variables = await variablesOf(pod);
      const env = {
        ...variables,
        PATH: process.env['PATH'],
        AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}`,
        AWS_EC2_METADATA_DISABLED: 'true',
      };
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', keepsFile], { env });
      return [commandOf(pod), variables['AWS_REGION'], stdout];
    };
    // One after the other, because all write the same file.
    const kept: Awaited<ReturnType<typeof keep>>[] = [];
    for (const pod of pods.filter((pod) => ['api', 'console'].includes(commandOf(pod)))) kept.push(await keep(pod));
    expect(new Set(kept.map((row) => row.join(' ')))).toEqual(
      new Set(['api', 'console'].map((command) => `${command} ${settings['AWS_REGION']} content`)),
    );
    expect(settings['AWS_REGION']).toMatch(/^[a-z]+-[a-z]+-\d$/);
    await bucket.close();
  });
});
