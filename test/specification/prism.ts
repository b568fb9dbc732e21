import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeApi } from '../../src/api/docs/document.ts';
import { errorResponse } from '../../src/api/http/error-response.ts';
import { createAppServer } from '../../src/platform/http/app-server.ts';
import { createLog } from '../../src/platform/log.ts';
import { freePort } from '../../src/platform/process/free-port.ts';
import type { TestApi } from '../api/support/test-api.ts';
import { until } from '../support/until.ts';

/** It brings 213 packages, so that it is fetched by the command that runs it and is no dependency. */
const prism = '@stoplight/prism-cli@5.16.0';

/** A difference between a message and the OpenAPI document, as Prism reports it in the header `sl-violations`. */
interface Violation {
  location: string[];
  severity: string;
  message: string;
}

/** Prism as a validating proxy in front of an API. */
export interface Prism {
  /** Sends a request through it. Throws for an answer that differs from the document, and for a request that does so and is not answered with an error. */
  request: (to: string, init: RequestInit) => Promise<Response>;
  close: () => Promise<void>;
}

/** Starts Prism with the document that the API serves. */
export async function startPrism({ app, deps: { settings } }: TestApi): Promise<Prism> {
  const closing = new AbortController();
  const log = createLog('silent');
  const server = createAppServer({
    fetch: app.fetch,
    answerError: errorResponse,
    keepAliveSeconds: 75,
    trustedProxies: 0,
    closing: closing.signal,
    log,
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-prism-'));
  const file = path.join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(describeApi(app, settings)));
  const port = await freePort();
  const options = ['--host', '127.0.0.1', '--port', String(port)];
  // A process group of its own: npx starts another process, which a signal to npx alone would leave.
  const child = spawn('npx', ['--yes', prism, 'proxy', file, upstream, ...options], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const stopWithTests = (): void => void process.kill(-(child.pid as number), 'SIGKILL');
  process.once('exit', stopWithTests);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await until('Prism listens', async () => {
    if (child.exitCode !== null) throw new Error(`Prism ended: ${output}`);
    return output.includes('Prism is listening') || undefined;
  });
  return {
    async request(to, init) {
      // Prism follows redirects itself, and reads files as if they were text.
      if (/^\/(auth|files)(\?|$)/.test(to)) return app.request(to, init);
      const response = await fetch(`http://127.0.0.1:${port}${to}`, { ...init, redirect: 'manual' });
      const violations = violationsOf(response);
      if (violations.length > 0) throw new Error(`${init.method} ${to} (${response.status}): ${JSON.stringify(violations, undefined, 2)}`);
      return response;
    },
    async close() {
      process.off('exit', stopWithTests);
      stopWithTests();
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function violationsOf({ status, headers }: Response): Violation[] {
  const all = JSON.parse(headers.get('sl-violations') ?? '[]') as Violation[];
  return all.filter(({ severity, location: [part] }) => severity === 'Error' && (part !== 'request' || status < 400));
}
