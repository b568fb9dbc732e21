import { describeRpcError } from '../node-answer.ts';
import type { EndpointHealth } from './endpoint-health.ts';

/** What is wrong with the answers of an endpoint, since when in milliseconds, and a text for operators, without a key of its URL. */
export interface EndpointFault {
  kind: 'endpoint_contradicted' | 'endpoint_slow';
  name: string;
  since: number;
  text: string;
}

/** What has been wrong with the answers of an endpoint for a while: the others contradict it, or it is slow. `setting` has the endpoints of its network. */
export function faultsOf(
  { name, health }: { name: string; health: Pick<EndpointHealth, 'failures' | 'rest' | 'slow'> },
  setting: { variable: string; isAlone: boolean },
): EndpointFault[] {
  const { variable, isAlone } = setting;
  const faults: EndpointFault[] = [];
  const failing = health.failures.lasting();
  if (failing) {
    const text = `${name} does not answer ${failing.method} as the others of ${variable} do, which are asked first: ${describeRpcError(failing.failure)}`;
    faults.push({ kind: 'endpoint_contradicted', name, since: failing.since, text });
  }
  const slow = health.slow();
  if (slow && health.rest() === undefined) {
    const remedy = isAlone ? `Orders wait for it: add another to ${variable}` : `The others of ${variable} are asked first`;
    const text = `${name} takes ${Math.round(slow.milliseconds)} ms for ${slow.method}. ${remedy}`;
    faults.push({ kind: 'endpoint_slow', name, since: slow.since, text });
  }
  return faults;
}
