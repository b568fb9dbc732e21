// Errors and repetitions. It needs API, ID and SECRET.
import { createClient } from 'mintrail-client';

const { API = '', ID = '', SECRET = '' } = process.env;
// #region errors
import { MintrailApiError, MintrailUnreachableError } from 'mintrail-client';

const mintrail = createClient({ baseUrl: API, clientId: ID, clientSecret: SECRET, timeout: 10_000, retries: 3 });
try {
  await mintrail.get('/orders/{orderId}', { path: { orderId: crypto.randomUUID() } });
} catch (error) {
  if (error instanceof MintrailApiError) console.log(error.status, error.reason, error.errors, error.correlationId);
  else if (error instanceof MintrailUnreachableError) console.log('No answer: repeat it under the same key');
  else throw error;
}
// #endregion
console.log('done');
