import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';

/** The folder of the example, from the root of the project. */
export const folder = 'examples/kubernetes';

/** The overlay that is applied. */
export const overlay = `${folder}/overlays/production`;

/** What the tests read of a manifest. */
export interface Manifest {
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data: Record<string, string>;
  spec: {
    template: { spec: Pod };
    type?: string;
    podSelector?: { matchLabels: Record<string, string> };
    ingress?: { from?: { namespaceSelector: { matchLabels: Record<string, string> } }[]; ports: { port: number }[] }[];
  };
}

/** What the tests read of a pod. */
export interface Pod {
  containers: Container[];
  volumes: { name: string; secret?: { secretName: string }; emptyDir?: object; persistentVolumeClaim?: { claimName: string } }[];
  enableServiceLinks?: boolean;
}

/** What the tests read of a container. */
export interface Container {
  args: string[];
  image: string;
  envFrom: { configMapRef: { name: string } }[];
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  ports?: { name: string; containerPort: number }[];
}

interface Kustomization {
  resources: string[];
  configMapGenerator?: { name: string; envs: string[] }[];
}

/** The manifests of a text of YAML. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

/** All files that a kustomization names, and those that the kustomizations among them name. */
export function namedFiles(kustomization: string): string[] {
  const { resources, configMapGenerator = [] } = parse(readFileSync(`${kustomization}/kustomization.yaml`, 'utf8')) as Kustomization;
  const inside = (name: string) => path.join(kustomization, name);
  const folders = resources.filter((name) => !name.endsWith('.yaml')).map(inside);
  const files = [...resources.filter((name) => name.endsWith('.yaml')), ...configMapGenerator.flatMap(({ envs }) => envs)].map(inside);
  return [`${kustomization}/kustomization.yaml`, ...files, ...folders.flatMap(namedFiles)];
}

/** All files from which something is applied. */
export const files = globSync(`${folder}/{base,networks,overlays}/**/*.*`);

/** The manifests as they stand in the files. */
export const manifests = files
  .filter((file) => file.endsWith('.yaml') && !file.endsWith('kustomization.yaml'))
  .flatMap((file) => manifestsOf(readFileSync(file, 'utf8')));

/** The settings of the base, and those of the overlay, which count more. */
export const settings = Object.assign(
  {},
  ...[`${folder}/base`, overlay].map((where) => parseEnv(readFileSync(`${where}/settings.env`, 'utf8'))),
) as Record<string, string>;

/** The pods of Deployments and Jobs. */
export const pods = manifests.filter(({ kind }) => kind === 'Deployment' || kind === 'Job').map(({ spec }) => spec.template.spec);

/** The variables that the image sets. */
export const image = (() => {
  const [, line = ''] = /^ENV (.*)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  return parseEnv(line.replaceAll(' ', '\n')) as Record<string, string>;
})();

/** What Kubernetes puts into the pods of a namespace with these Services, and with others whose names are the beginning of a setting. */
export const serviceLinks = Object.fromEntries(
  [
    ...manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name.toUpperCase()),
    'REDIS',
    'METRICS',
    'INDEXER',
  ].flatMap((name) => [
    [`${name}_SERVICE_HOST`, '10.96.0.1'],
    [`${name}_SERVICE_PORT`, '3010'],
    [`${name}_PORT`, 'tcp://10.96.0.1:3010'],
    [`${name}_PORT_3010_TCP_ADDR`, '10.96.0.1'],
  ]),
) as Record<string, string>;
