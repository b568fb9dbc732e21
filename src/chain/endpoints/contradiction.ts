import { describeRpcError } from '../node-answer.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** An endpoint that does not answer a method as the others do, since when in milliseconds, and a text for operators, without a key of its URL. */
export interface Contradiction {
  name: string;
  since: number;
  text: string;
}

/** What the others contradict of an endpoint for a while; undefined when there is nothing. `variable` is the setting that has the endpoints. */
export function contradictionOf(
  { name, health }: { name: string; health: Pick<EndpointHealth, 'failures'> },
  variable: string,
): Contradiction | undefined {
  const failing = health.failures.lasting();
  if (failing === undefined) return undefined;
  const { method, since, failure } = failing;
  const text = `${name} does not answer ${method} as the others of ${variable} do, which are asked first: ${describeRpcError(failure)}`;
  return { name, since, text };
}
