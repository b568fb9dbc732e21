import { openSealer } from '../../src/platform/sealing.ts';

/** The `SECRETS_KEY` of tests. */
export const testSecretsKey = Buffer.alloc(32, 'test').toString('base64');

export const testSealer = openSealer({ secretsKey: testSecretsKey, secretsKeysOld: '' });
