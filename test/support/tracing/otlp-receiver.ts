import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fieldsOf, type Message } from './protobuf.ts';

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the first of a trace. */
  parentSpanId: string;
  name: string;
  /** Of the resource: what the sending process is called. */
  process: string;
  attributes: Record<string, string>;
  /** Trace ids. */
  links: string[];
  isFailed: boolean;
  startedAt: number;
  endedAt: number;
}

/** A collector on the loopback, which takes OTLP over HTTP (opentelemetry-proto, trace/v1). */
export interface OtlpReceiver {
  url: string;
  spans: ReceivedSpan[];
  /** All text of what was received. */
  text(): string;
  close(): void;
}

/** Starts a collector that keeps what it receives; without a port, on any that is free. */
export async function startOtlpReceiver(port = 0): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const isTraces = request.url === '/v1/traces' && request.headers['content-type'] === 'application/x-protobuf';
      if (isTraces) spans.push(...spansOf(body));
      bodies.push(body);
      response.writeHead(isTraces ? 200 : 404, { 'content-type': 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => Buffer.concat(bodies).toString('latin1'),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function spansOf(body: Buffer): ReceivedSpan[] {
  return fieldsOf(body)
    .messages(1)
    .flatMap((resourceSpans) => {
      const process = attributesOf(resourceSpans.messages(1)[0]?.messages(1) ?? [])['mintrail.process'] ?? '';
      return resourceSpans.messages(2).flatMap((scope) => scope.messages(2).map((span) => spanOf(span, process)));
    });
}

function spanOf(span: Message, process: string): ReceivedSpan {
  return {
    traceId: span.hex(1),
    spanId: span.hex(2),
    parentSpanId: span.hex(4),
    name: span.text(5),
    startedAt: span.nanoseconds(7) / 1e6,
    endedAt: span.nanoseconds(8) / 1e6,
    attributes: attributesOf(span.messages(9)),
    links: span.messages(13).map((link) => link.hex(1)),
    isFailed: span.messages(15)[0]?.number(3) === 2,
    process,
  };
}

function attributesOf(pairs: readonly Message[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const value = pair.messages(2)[0] as Message;
      return [pair.text(1), value.text(1) || String(value.number(3) ?? value.number(2) ?? '')];
    }),
  );
}
