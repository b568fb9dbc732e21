import { type Attributes, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, resourceAttributesEnvDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, RandomIdGenerator, type Sampler, TraceIdRatioBasedSampler, TracerProvider } from '@opentelemetry/sdk-trace';
import { setTimeout as delay } from 'node:timers/promises';
import type { Settings } from '../settings.ts';
import { rootPosition, type Span } from './spans.ts';

/** What the traces of a process depend on. */
export type TraceSettings = Pick<Settings, 'tracesEndpoint' | 'tracesShare'>;

/** Spans that wait for the collector at most. While it is away, further ones are dropped. */
const mostWaitingSpans = 20_000;

/** Sends spans to a collector. */
export interface OtlpRecorder {
  record(span: Span): void;
  /** Sends what waits, for a moment at most. Never throws: traces are not worth a failure. */
  close(): Promise<void>;
}

/**
 * Sends spans to the collector of the settings by OTLP over HTTP, in batches and in the background. A collector that is away or slow costs spans and delays
 * nothing. Headers, time limit, compression and certificates are those of the exporter's own variables (`OTEL_EXPORTER_OTLP_…`), attributes of the
 * process those of `OTEL_RESOURCE_ATTRIBUTES`.
 */
export function createOtlpRecorder(settings: TraceSettings, process: string, closeTimeoutMs: number): OtlpRecorder {
  const random = new RandomIdGenerator();
  /** The ids of the root span that is being made. */
  let root: { traceId: string; spanId: string } | undefined;
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter({ url: `${settings.tracesEndpoint?.replace(/\/$/, '') ?? ''}/v1/traces` }),
    maxQueueSize: mostWaitingSpans,
    scheduledDelayMillis: 1_000,
  });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'mintrail' }))
      .merge(detectResources({ detectors: [resourceAttributesEnvDetector] }))
      .merge(resourceFromAttributes({ 'mintrail.process': process })),
    sampler: byTraceAlone(new TraceIdRatioBasedSampler(settings.tracesShare)),
    idGenerator: {
      generateTraceId: () => root?.traceId ?? random.generateTraceId(),
      generateSpanId: () => root?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('mintrail');
  return {
    record(span) {
      const position = rootPosition(span.subject);
      const parent = trace.setSpanContext(ROOT_CONTEXT, { ...position, traceFlags: TraceFlags.SAMPLED, isRemote: true });
      root = span.isRoot ? position : undefined;
      const made = tracer.startSpan(span.name, optionsOf(span), span.isRoot ? ROOT_CONTEXT : parent);
      root = undefined;
      if (span.failure !== undefined) made.setStatus({ code: SpanStatusCode.ERROR, message: span.failure });
      made.end(span.endedAt ?? Date.now());
    },
    close: () => Promise.race([provider.shutdown().catch(() => {}), delay(closeTimeoutMs, undefined, { ref: false })]),
  };
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;

function optionsOf({ kind, startedAt, attributes = {}, links = [], caller }: Span) {
  const positions = [...links.map(rootPosition), ...(caller === undefined ? [] : [caller])];
  return {
    kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind],
    startTime: startedAt,
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Attributes,
    links: positions.map((position) => ({ context: { ...position, traceFlags: TraceFlags.SAMPLED } })),
  };
}

/** All processes decide by the trace's id, so that a trace is whole or not there, and none has to know what another has decided. */
function byTraceAlone(sampler: Sampler): Sampler {
  return {
    shouldSample: (_parent, ...span) => sampler.shouldSample(ROOT_CONTEXT, ...span),
    toString: () => `ByTraceAlone(${sampler.toString()})`,
  };
}
