import { z } from '@hono/zod-openapi';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Api, ApiDependencies } from '../api.ts';
import { notFound } from '../http/errors.ts';
import { requireSameMachine } from '../http/same-machine.ts';

const credentialsSchema = z.object({ clientId: z.string(), clientSecret: z.string() });
const sandboxFileSchema = z.object({ applications: z.object({ private: credentialsSchema, whitelabel: credentialsSchema }) });

/**
 * `GET /docs/credentials`: those of the sandbox's applications, with which the reference sends requests (docs/sandbox.md, Applications). Callers
 * on the same machine alone get them: the money is fake, but not theirs.
 */
export function addSandboxCredentials(api: Api, { environment, dataDir }: ApiDependencies['settings']): void {
  if (environment !== 'sandbox') return;
  api.get('/docs/credentials', async (context) => {
    requireSameMachine(context);
    const text = await readFile(path.resolve(dataDir, 'sandbox.json'), 'utf8').catch(() => undefined);
    if (text === undefined) throw notFound('This sandbox has no applications of its own');
    return context.json(sandboxFileSchema.parse(JSON.parse(text)).applications);
  });
}
