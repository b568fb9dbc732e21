import {
  createClient,
  linkMessageFor,
  MintrailApiError,
  MintrailUnreachableError,
  MintrailWebhookError,
  type Order,
  paymentMessage,
  verifyWebhook,
} from 'mintrail-client';
import { privateKeyToAccount } from 'viem/accounts';

/** Where the API is, as whom to call it, and what the caller cannot make in a browser. */
export interface Given {
  /** Address of the API for the caller, which may be that of a proxy beside the page. */
  baseUrl: string;
  /** Address of the API as the API knows it. */
  apiUrl: string;
  /** An address where nothing answers. */
  awayUrl: string;
  applications: Record<'private' | 'whitelabel', { clientId: string; clientSecret: string }>;
  /** Private key of a wallet that nobody has linked. */
  key: `0x${string}`;
  /** The content of a PDF. */
  document: string;
  webhook: { secret: string; headers: Record<string, string>; body: string };
}

const chain = 'chiado';
const payer = { name: 'Jón Jónsson', iban: 'IS140159260076545510730339' };
const payee = { standard: 'iban', iban: 'DE89370400440532013000' } as const;

/** Uses all that the package exports, in a Node or in a browser. Returns what came of it, by the name of the export or method. */
export async function everyMethod({ baseUrl, apiUrl, awayUrl, applications, key, document, webhook }: Given) {
  const client = createClient({ baseUrl, ...applications.private });
  const partner = createClient({ baseUrl, ...applications.whitelabel });
  const wallet = privateKeyToAccount(key);
  const account = { address: wallet.address, chain } as const;

  const { defaultProfile = '' } = await client.get('/auth/context');
  const link = linkMessageFor({ ...account, baseUrl: apiUrl, profile: defaultProfile });
  await client.post('/addresses', { body: { ...account, message: link, signature: await wallet.signMessage({ message: link }) } });

  const { id: profile } = await partner.post('/profiles', { body: { kind: 'personal' } });
  const incomplete = { firstName: 'Anna' } as never;
  const refused = await errorOf(partner.patch('/profiles/{profile}/details', { path: { profile }, body: { personal: incomplete } }));
  const { id: file } = await partner.upload(new File([document], 'document.pdf', { type: 'application/pdf' }));

  const stop = new AbortController();
  const events = client.orderEvents({ signal: stop.signal });
  const processed = (async () => {
    for await (const { data } of events) if (data.address === wallet.address && data.state === 'processed') return data;
    return undefined;
  })();
  await openIban(client, account);
  const { ibans } = await client.get('/ibans');
  const iban = ibans.find(({ state }) => state === 'approved')?.iban ?? '';
  const credit = { iban, amount: '100.00', currency: 'eur', payer, remittance: `${chain}:${wallet.address}` } as const;
  const { order: issue } = await client.post('/sandbox/credits', { body: credit, idempotencyKey: crypto.randomUUID() });
  const followed: Order | undefined = await processed;
  stop.abort();

  const payment = { ...account, kind: 'redeem', currency: 'eur', amount: '10.50' } as const;
  const message = paymentMessage({ ...payment, to: payee });
  const counterpart = { identifier: payee, details: { name: 'Max Mustermann', country: 'DE' } };
  const signature = await wallet.signMessage({ message });
  const { status } = await client.request('post', '/orders', { body: { ...payment, counterpart, message, signature } });
  const kinds: string[] = [];
  for await (const { kind } of client.pages('/orders', { query: { address: wallet.address, limit: 1 } })) kinds.push(kind);

  const away = createClient({ baseUrl: awayUrl, accessToken: () => 'token', retries: 0 });
  const unreached = await errorOf(away.get('/auth/context'));
  const forged = await errorOf(verifyWebhook(webhook.secret, webhook.headers, `${webhook.body} `));
  return {
    patch: refused instanceof MintrailApiError ? [refused.status, Object.keys(refused.errors).length > 0] : String(refused),
    upload: /^[0-9a-f-]{36}$/.test(file),
    orderEvents: followed?.id === issue?.id,
    request: status,
    pages: kinds.sort(),
    verifyWebhook: (await verifyWebhook(webhook.secret, webhook.headers, webhook.body)).type,
    forged: forged instanceof MintrailWebhookError || String(forged),
    unreached: unreached instanceof MintrailUnreachableError || String(unreached),
  };
}

/** What a call throws. */
function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => 'no error',
    (error: unknown) => error,
  );
}

/** Asks for an IBAN, and waits until the profile has one. */
async function openIban(client: ReturnType<typeof createClient>, account: { address: string; chain: typeof chain }): Promise<void> {
  await client.post('/ibans', { body: account });
  for (;;) {
    const { ibans } = await client.get('/ibans');
    if (ibans.some(({ state }) => state === 'approved')) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
