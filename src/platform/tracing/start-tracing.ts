import type { Running } from '../loop.ts';
import type { TraceSettings } from './otlp-recorder.ts';
import { recordSpansBy } from './spans.ts';

/** How long closing waits for the collector: a part of the eight seconds that a process has to end. */
const longestCloseMs = 1_000;

/**
 * Makes the process send traces where the settings name a collector. Without one it does nothing, and OpenTelemetry is not even loaded. `process` is what the
 * process is called in the traces.
 */
export async function startTracing(
  settings: TraceSettings,
  process: string,
  closeTimeoutMs = longestCloseMs,
): Promise<Running | undefined> {
  if (settings.tracesEndpoint === undefined || settings.tracesShare === 0) return undefined;
  const recorder = (await import('./otlp-recorder.ts')).createOtlpRecorder(settings, process, closeTimeoutMs);
  recordSpansBy((span) => recorder.record(span));
  return {
    async close() {
      recordSpansBy(undefined);
      await recorder.close();
    },
  };
}
