import type { errorCodesExtension } from '../http/responses.ts';
import type { ExemplifiedOperation } from './examples.ts';
import type { Parameter, Schema } from './left-out-fields.ts';

/** The OpenAPI document, as far as it is completed and shown here. */
export interface ApiDocument {
  info: { title: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** An operation of the document. */
export interface Operation extends ExemplifiedOperation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: object[];
  parameters?: (NonNullable<ExemplifiedOperation['parameters']>[number] & Parameter & { schema: Schema; description?: string })[];
  requestBody?: { description?: string; content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, Answer>;
}

/** An answer of an operation. */
export interface Answer {
  description: string;
  headers?: Record<string, { schema: Schema; example?: unknown }>;
  content?: Record<string, { schema: Schema; example?: unknown }>;
  [errorCodesExtension]?: string[];
}
