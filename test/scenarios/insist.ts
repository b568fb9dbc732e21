import { setTimeout as delay } from 'node:timers/promises';
import { MintrailApiError } from '../../client/index.ts';
import { patienceMs } from '../support/patience.ts';

/** Asks again as long as the service is out of reach or has an outage; a refusal is an answer. */
export async function insist<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (const deadline = Date.now() + patienceMs; ; await delay(200)) {
    try {
      return await ask();
    } catch (error) {
      const isRefusal = error instanceof MintrailApiError && error.status < 500;
      if (isRefusal || Date.now() > deadline) throw error;
    }
  }
}
