import type { VerbName as ActionName } from '../../src/operations/registry.ts';
import { api } from './client.ts';

export type { VerbInput as ActionInput, VerbName as ActionName, VerbResult as ActionResult } from '../../src/operations/registry.ts';

/** What became of an action: it is carried out, or waits for a second person as the approval with this id. */
export type ActionOutcome = { state: 'done'; result: unknown } | { state: 'waiting'; approval: string };

/** What an action would do, in one sentence of the server, and whether a second person is needed for it. */
export interface ActionPreview {
  description: string;
  /** Names what was read, so that nothing else is done. */
  digest: string;
  needsSecondPerson: boolean;
}

/** What an action would do (docs/console.md, Actions). Throws ApiError with what is wrong with each field. */
export async function preview(action: ActionName, input: Record<string, unknown>): Promise<ActionPreview> {
  const response = await api.actions[':name'].preview.$post({ param: { name: action }, json: asJson(input) });
  return response.json();
}

/** Carries out an action, or asks for its approval; with the digest of a preview, only as that said. Throws ApiError. */
export async function carryOut(action: ActionName, input: Record<string, unknown>, digest?: string): Promise<ActionOutcome> {
  const response = await api.actions[':name'].$post({ param: { name: action }, query: { digest }, json: asJson(input) });
  return response.json();
}

/** The server validates what it is. */
function asJson(input: Record<string, unknown>): Record<string, string> {
  return input as Record<string, string>;
}
