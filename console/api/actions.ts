import { post } from './request.ts';

/** What became of an action: it is carried out, or waits for a second person as the approval with this id. */
export type ActionOutcome = { state: 'done'; result: unknown } | { state: 'waiting'; approval: string };

/** What an action would do, in one sentence of the server, and whether a second person is needed for it. */
export interface ActionPreview {
  description: string;
  needsSecondPerson: boolean;
}

/** What an action would do (docs/console.md, Actions). Throws ApiError with what is wrong with each field. */
export async function preview(action: string, input: Record<string, unknown>): Promise<ActionPreview> {
  return post(`/api/actions/${action}/preview`, input);
}

/** Carries out an action, or asks for its approval. Throws ApiError. */
export async function carryOut(action: string, input: Record<string, unknown>): Promise<ActionOutcome> {
  return post(`/api/actions/${action}`, input);
}
