import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { loadSomeSettings } from '../../../src/platform/settings.ts';
import { holdSpans, isTracing, readTraceparent, recordSpan, rootPosition } from '../../../src/platform/tracing/spans.ts';
import { startTracing } from '../../../src/platform/tracing/start-tracing.ts';
import { patienceMs } from '../../support/patience.ts';
import { startRawServer } from '../../webhooks/raw-server.ts';
import { startOtlpReceiver } from '../../support/tracing/otlp-receiver.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const order = '6d1f3c52-9f0b-4b7e-8a51-0c7e2f6b9d11';
const transaction = '019a7f00-0000-7000-8000-000000000001';
const startedAt = Date.UTC(2026, 10, 20);

const receiver = forWholeFile(startOtlpReceiver);

/** The spans that arrive of what `work` records, until the collector has had `closeTimeoutMs` to take them. */
async function traced(variables: Record<string, string>, work: () => void | Promise<void>, closeTimeoutMs?: number) {
  receiver.spans.length = 0;
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...variables };
  const settings = loadSomeSettings(['tracesEndpoint', 'tracesShare'], env);
  const tracing = await startTracing(settings, 'worker gnosis', closeTimeoutMs);
  await work();
  await tracing?.close();
  return receiver.spans;
}

const record = (name: string) => recordSpan({ subject: order, name, startedAt });

describe('traces', () => {
  it('are off without a collector, and load nothing of OpenTelemetry', () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ resolve: (name, context, next) => (loaded.push(name), next(name, context)) });
      const { startTracing } = await import('./src/platform/tracing/start-tracing.ts');
      for (const tracesEndpoint of [undefined, 'http://127.0.0.1:1']) {
        await startTracing({ tracesEndpoint, tracesShare: 1 }, 'api');
        console.log(loaded.filter((name) => name.includes('opentelemetry')).length > 0);
      }
      process.exit();`;
    expect(isTracing()).toBe(false);
    expect(execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' })).toBe('false\ntrue\n');
  });

  it('have the id of the order, begin with its first span, and link to what it is carried by', async () => {
    vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'service.name=money');
    const spans = await traced(
      {},
      () => {
        recordSpan({ subject: order, name: 'POST /orders', isRoot: true, kind: 'server', startedAt, endedAt: startedAt + 20 });
        recordSpan({
          subject: order,
          name: 'send leg',
          startedAt,
          links: [transaction],
          attributes: { 'mintrail.leg': 'redeem', none: undefined },
        });
        recordSpan({ subject: transaction, name: 'send transaction', isRoot: true, startedAt, failure: 'no node took it' });
      },
      patienceMs,
    );
    const traceId = '6d1f3c529f0b4b7e8a510c7e2f6b9d11';
    expect(spans).toMatchObject([
      { traceId, spanId: '8a510c7e2f6b9d11', parentSpanId: '', name: 'POST /orders', startedAt, endedAt: startedAt + 20, isFailed: false },
      { traceId, parentSpanId: '8a510c7e2f6b9d11', links: [rootPosition(transaction).traceId], attributes: { 'mintrail.leg': 'redeem' } },
      { ...rootPosition(transaction), parentSpanId: '', isFailed: true, process: 'worker gnosis' },
    ]);
    expect(spans[1]?.spanId).not.toBe('8a510c7e2f6b9d11');
    expect(spans[1]?.attributes).not.toHaveProperty('none');
    expect(receiver.text()).toContain('money');
    vi.unstubAllEnvs();
  });

  it('are those of a whole order or none, in all processes alike, when a share of them is sampled', async () => {
    const subjects = Array.from(
      { length: 400 },
      (_, index) => `6d1f3c52-9f0b-4b7e-8a51-${(index * 4_999_999_777).toString(16).padStart(12, '0')}`,
    );
    const spans = await traced(
      { OTEL_TRACES_SAMPLER_ARG: '0.25' },
      () => {
        for (const subject of subjects) for (const isRoot of [true, false]) recordSpan({ subject, name: 'settle leg', isRoot, startedAt });
      },
      patienceMs,
    );
    const perTrace = Map.groupBy(spans, ({ traceId }) => traceId);
    expect(perTrace.size).toBeGreaterThan(40);
    expect(perTrace.size).toBeLessThan(200);
    expect([...perTrace.values()].every(({ length }) => length === 2)).toBe(true);
  });

  it('have nothing of a transaction that was rolled back', async () => {
    const spans = await traced(
      {},
      async () => {
        await holdSpans(async () => record('committed'));
        await holdSpans(async () => {
          record('rolled back');
          throw new Error('rolled back');
        }).catch(() => {});
      },
      patienceMs,
    );
    expect(spans.map(({ name }) => name)).toEqual(['committed']);
  });

  it('delay and fail nothing while the collector is away or silent', async () => {
    const silent = await startRawServer(() => {});
    vi.stubEnv('OTEL_EXPORTER_OTLP_TIMEOUT', String(patienceMs));
    const begin = performance.now();
    for (const port of [1, silent.port])
      await traced({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }, () => record('settle leg'));
    expect(performance.now() - begin).toBeLessThan(patienceMs);
    expect(silent.connections()).toBe(1);
    await silent.close();
  });

  it('take the context of a caller only where it is well-formed', () => {
    const caller = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
    expect(readTraceparent(`00-${caller.traceId}-${caller.spanId}-01`)).toEqual(caller);
    for (const bad of [
      undefined,
      '',
      `00-${'0'.repeat(32)}-${caller.spanId}-01`,
      `00-${caller.traceId}-${'0'.repeat(16)}-01`,
      `ff-${caller.traceId}-x`,
    ])
      expect(readTraceparent(bad)).toBeUndefined();
  });
});
