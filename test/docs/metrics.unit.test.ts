import { expect, it } from 'vitest';
import { metricCatalogue } from '../../src/platform/metrics/catalogue.ts';
import type { MetricDefinition } from '../../src/platform/metrics/definition.ts';
import { projectFiles, read } from './pages.ts';

const definitions = Object.entries<MetricDefinition>(metricCatalogue);

it('names metrics by the conventions of Prometheus', () => {
  for (const [name, { type, unit, buckets }] of definitions) {
    expect(name).toMatch(/^mintrail(_[a-z]+)+$/);
    expect(name.endsWith('_total'), name).toBe(type === 'counter');
    expect(buckets !== undefined, name).toBe(type === 'histogram');
    if (unit === 'seconds') expect(name).toMatch(/_seconds$/);
    if (unit === 'Unix time in seconds') expect(name).toMatch(/_timestamp_seconds$/);
    if (unit === 'wei' || unit === 'ratio') expect(name).toMatch(new RegExp(`_${unit}$`));
  }
});

it('has no label of an id, an address or a person', () => {
  const labels = new Set(definitions.flatMap(([, { labels: all }]) => all));
  for (const label of ['id', 'order', 'profile', 'address', 'account', 'iban', 'url', 'subscription', 'application'])
    expect(labels).not.toContain(label);
});

it('defines every metric in the catalogue alone, and every one of it is served', () => {
  const others = projectFiles('src').filter((file) => file.endsWith('.ts') && !file.startsWith('src/platform/metrics/'));
  const code = others.map((file) => [file, read(file)] as const);
  const makesMetrics = code.filter(([, text]) => /new (?:Gauge|Counter|Histogram|Summary)\b/.test(text)).map(([file]) => file);
  expect(makesMetrics).toEqual([]);
  const shared = projectFiles('src/platform/metrics').filter((file) => /registered|pool-metrics/.test(file));
  const text = [...code.map(([, all]) => all), ...shared.map((file) => read(file))].join('\n');
  expect(definitions.map(([name]) => name).filter((name) => !text.includes(`'${name}'`))).toEqual([]);
});
