import { readdirSync, readFileSync } from 'node:fs';

/** The examples, one file for each heading of the reference. Tests send them and compare the answers. */
const folder = new URL('../../../docs/examples/', import.meta.url);

/** A request and its answer, with values that belong together over all examples. */
export interface Example {
  /** Who sends it, with a token of theirs; without it anybody. */
  caller?: 'treasury' | 'partner';
  path?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** A JSON body. */
  body?: unknown;
  /** The fields of a form. */
  form?: Record<string, string>;
  /** Name of an uploaded file. */
  file?: string;
  status: number;
  /** Headers of the answer that belong to the example. */
  answerHeaders?: Record<string, string>;
  /** The JSON of the answer; of a stream its first event. Absent when the answer has no body. */
  answer?: unknown;
}

/** All examples by operation, such as `POST /orders`. */
export function readExamples(): Record<string, Example> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return Object.assign({}, ...files.map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as object)) as Record<
    string,
    Example
  >;
}

const eventStream = 'text/event-stream';

/** An event as a stream carries it. */
function renderEvent(event: unknown): string {
  const { id, event: type, data } = event as { id: string; event: string; data: object };
  return `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The part of an operation that examples are added to. */
export interface ExemplifiedOperation {
  parameters?: { name: string; in: string; schema?: { type?: string }; example?: unknown }[];
  requestBody?: { content: Record<string, { example?: unknown }> };
  responses: Record<string, { content?: Record<string, { example?: unknown }>; headers?: Record<string, { example?: unknown }> }>;
}

/** Adds the request of an example and its answer to an operation. */
export function addExample(operation: ExemplifiedOperation, example: Example): void {
  const { path, query, headers, body, form, status, answer, answerHeaders = {} } = example;
  const values: Record<string, Record<string, string> | undefined> = { path, query, header: headers };
  for (const parameter of operation.parameters ?? []) {
    const value = values[parameter.in]?.[parameter.name];
    if (value !== undefined) parameter.example = valueOf(value, parameter.schema?.type);
  }
  const request = body ?? form;
  if (request !== undefined) for (const content of Object.values(operation.requestBody?.content ?? {})) content.example = request;
  const response = operation.responses[status];
  if (answer !== undefined)
    for (const [type, content] of Object.entries(response?.content ?? {}))
      content.example = type === eventStream ? renderEvent(answer) : answer;
  for (const [name, header] of Object.entries(response?.headers ?? {}))
    if (answerHeaders[name] !== undefined) header.example = answerHeaders[name];
}

/** The value of a parameter that is sent as a text: a list of one, or a number, where its schema says so. */
function valueOf(text: string, type: string | undefined): unknown {
  if (type === 'array') return [text];
  return type === 'integer' ? Number(text) : text;
}
