import path from 'node:path';
import { createClient } from '../../../client/index.ts';
import { eventTypes } from '../../ledger/orders/events.ts';
import { messageOf, StopError } from '../../platform/errors.ts';
import { loadSomeSettings } from '../../platform/settings.ts';
import { findSandbox, type SandboxFile } from '../running-sandbox.ts';
import { webhookLine } from './line.ts';
import { createWebhookSecret, type Listener, startListener } from './listener.ts';
import { print, printError } from '../print.ts';

/** Options of `mintrail webhook listen`. */
export interface ListenOptions {
  port?: number;
  secret?: string;
  /** True without types, which means all. */
  subscribe?: string | true;
  partner?: true;
  failFirst: number;
  json?: true;
}

type EventType = (typeof eventTypes)[number];

/** `mintrail webhook listen`: runs until it is interrupted, then deletes the subscription that it created. Throws `not_possible`, `bad_input`, `port_in_use`. */
export async function listen({ port = 0, secret = createWebhookSecret(), failFirst, json, ...options }: ListenOptions): Promise<void> {
  const types = typesOf(options);
  const sandbox = await findSandbox(path.resolve(loadSomeSettings(['dataDir']).dataDir));
  if (options.subscribe !== undefined && !sandbox)
    throw new StopError({
      code: 'not_possible',
      message: 'No sandbox runs in MINTRAIL_DATA_DIR to subscribe to: start one with `npm start`',
    });
  // With --json, stdout is a stream of events alone.
  const note = json ? printError : print;
  const listener = await startListener({
    port,
    secret,
    failFirst,
    onEvent(event, status) {
      if (!json) return print(`${clock()}  ${webhookLine(event)}${status === 200 ? '' : `  (answered ${status})`}`);
      if (status === 200) print(JSON.stringify(event));
    },
    onInvalid: (reason) => note(`${clock()}  answered 401: ${reason}`),
  });
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
  });
  note(`Listening on ${listener.url}, secret ${secret}`);
  let unsubscribe: (() => Promise<unknown>) | undefined;
  try {
    if (sandbox && options.subscribe !== undefined) {
      unsubscribe = await subscribe(sandbox, options, { listener, secret, types });
      note(`Subscribed to ${types.join(', ')} as the sandbox's ${kindOf(options)} application. Ctrl-C ends it.\n`);
    } else note(`\nCreate a subscription, or use --subscribe:\n\n${curl(sandbox, options, { listener, secret, types })}\n`);
    await interrupted;
  } finally {
    await unsubscribe?.().catch((error: unknown) => note(`The subscription could not be deleted and remains: ${messageOf(error)}`));
    await listener.close();
  }
}

function typesOf({ subscribe: types, partner }: Pick<ListenOptions, 'subscribe' | 'partner'>): EventType[] {
  // A private application receives events of orders only (docs/api.md, Events).
  const all = eventTypes.filter((type) => partner || type.startsWith('order.'));
  const named = typeof types === 'string' ? types.split(',').map((type) => type.trim()) : all;
  const unknown = named.filter((type) => !eventTypes.some((known) => known === type));
  if (unknown.length > 0)
    throw new StopError({ code: 'bad_input', message: `${unknown.join(', ')}: event types are ${eventTypes.join(', ')}` });
  return named as EventType[];
}

interface Subscribing {
  listener: Listener;
  secret: string;
  types: EventType[];
}

async function subscribe(file: SandboxFile, options: Pick<ListenOptions, 'partner'>, { listener, secret, types }: Subscribing) {
  const client = createClient({ baseUrl: file.apiUrl, ...file.applications[kindOf(options)] });
  const { id } = await client.post('/webhooks', { body: { url: listener.url, secret, types } });
  return () => client.request('delete', '/webhooks/{subscription}', { path: { subscription: id } });
}

function curl(file: SandboxFile | undefined, options: Pick<ListenOptions, 'partner'>, { listener, secret, types }: Subscribing): string {
  const { clientId, clientSecret } = file?.applications[kindOf(options)] ?? { clientId: '$CLIENT_ID', clientSecret: '$CLIENT_SECRET' };
  const api = file?.apiUrl ?? '$API';
  return [
    `  TOKEN=$(curl -s ${api}/auth/token -d grant_type=client_credentials -d client_id=${clientId} -d client_secret=${clientSecret} | jq -r .access_token)`,
    `  curl -s ${api}/webhooks -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\`,
    `    -d '${JSON.stringify({ url: listener.url, secret, types })}'`,
  ].join('\n');
}

function kindOf({ partner }: Pick<ListenOptions, 'partner'>): 'whitelabel' | 'private' {
  return partner ? 'whitelabel' : 'private';
}

function clock(): string {
  return new Date().toISOString().slice(11, 19);
}
