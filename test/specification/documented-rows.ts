import type { z } from 'zod';
import type { Asked, World } from './world.ts';

/** An endpoint of docs/api.md, and requests that show what it promises. */
export interface Endpoint {
  /** Method and path. */
  row: string;
  /** The statuses that clients of this API family know of it, but for those of who may not call it, which the access matrix has. */
  lists: number[];
  answers: Answer[];
  /** Those of them that nothing here can cause, and why. */
  never?: Record<number, string>;
}

export interface Answer {
  status: number;
  when: string;
  ask: (world: World) => Asked | Promise<Asked>;
  shape?: z.ZodType;
  headers?: Record<string, RegExp>;
}

/** One answer of an endpoint: the status, when it is given, a request that shows it, and what the body and headers are. */
export function is(
  status: number,
  when: string,
  shape: z.ZodType | undefined,
  ask: Answer['ask'],
  headers?: Record<string, RegExp>,
): Answer {
  return { status, when, ask, ...(shape ? { shape } : {}), ...(headers ? { headers } : {}) };
}

/** Says where a status is shown instead. */
export const below = 'is shown below the tables';
