import { pdf } from '../support/documents.ts';
import { repeatedScans, unpackingPdf } from '../support/hostile-documents.ts';
import type { Answer, Sender } from './sender.ts';
import type { Target } from './targets.ts';

/** What a row sends by. */
export interface Attack {
  target: Target;
  api: Sender;
  console: Sender;
  readers: Sender;
  /** The header of the application that has a token. */
  authorization: string;
}

/** Something that somebody sends to cost the service more than it costs them. */
export interface Row {
  name: string;
  /** What of the target it needs besides the API. */
  needs?: 'consoleUrl' | 'readersUrl';
  /** How often it is repeated in the short form and at length. */
  times: { short: number; long: number };
  /** Answers of 5xx that are documented. */
  mayAnswer?: readonly number[];
  run(attack: Attack, times: number): Promise<unknown>;
}

/** All of them. */
export const rows: readonly Row[] = [
  {
    name: 'a JPEG of 49 megapixels whose scans repeat',
    times: { short: 10, long: 6_000 },
    run: async (attack, scans) => upload(attack, 'image/jpeg', await repeatedScans(scans)),
  },
  {
    name: 'PDFs that unpack to a gigabyte, and one that is a document',
    times: { short: 2, long: 20 },
    async run(attack, times) {
      const bomb = unpackingPdf();
      for (let sent = 0; sent < times; sent += 1) await upload(attack, 'application/pdf', bomb);
      await upload(attack, 'application/pdf', pdf);
    },
  },
  {
    name: 'bodies of which the last byte is missing',
    times: { short: 100, long: 1_400 },
    run: ({ api, target }, times) => waitThenClose(api, target, times, `POST /auth/token HTTP/1.1\r\nhost: ${host(target)}\r\n`),
  },
  {
    name: 'requests whose headers do not end',
    times: { short: 100, long: 1_000 },
    async run({ api, target }, times) {
      const ends = Array.from({ length: times }, () => api.leaveOpen(`GET / HTTP/1.1\r\nhost: ${host(target)}\r\nx: `));
      await api.send({ path: '/' });
      for (const end of ends) end();
    },
  },
  {
    name: 'codes to one mailbox from sixteen network addresses',
    times: { short: 32, long: 80 },
    run: (attack, times) =>
      each(times, (number) => submitPage(attack, 'reset-password', { email: 'newcomer@money.example' }, attack.api.address(number % 16))),
  },
  {
    name: 'guesses of one password',
    times: { short: 20, long: 200 },
    run: (attack, times) =>
      each(times, (number) => submitPage(attack, 'sign-in', { email: 'owner@money.example', password: `guess ${number}` })),
  },
  {
    name: 'wrong secrets of an application',
    times: { short: 100, long: 2_000 },
    run: (attack, times) =>
      each(times, (number) =>
        askForToken(attack, {
          grant_type: 'client_credentials',
          client_id: attack.target.application.clientId,
          client_secret: `guess${number}`,
        }),
      ),
  },
  {
    name: 'codes of authorization that nobody has',
    times: { short: 100, long: 2_000 },
    run: (attack, times) =>
      each(times, (number) =>
        askForToken(attack, {
          grant_type: 'authorization_code',
          client_id: attack.target.application.clientId,
          code: `code${number}`,
          code_verifier: 'v'.repeat(43),
          redirect_uri: 'https://client.example/',
        }),
      ),
  },
  {
    name: 'tokens that are garbage',
    times: { short: 200, long: 5_000 },
    run: ({ api }, times) =>
      each(times, (number) => api.send({ path: '/auth/context', headers: { authorization: `Bearer ${'x'.repeat(40)}${number}` } })),
  },
  {
    name: 'preflights',
    times: { short: 200, long: 5_000 },
    run: ({ api }, times) =>
      each(times, () =>
        api.send({
          method: 'OPTIONS',
          path: '/orders',
          headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
        }),
      ),
  },
  {
    name: 'bodies of brackets that nest',
    times: { short: 10, long: 200 },
    run: ({ api, authorization }, times) =>
      each(times, () =>
        api.send({
          method: 'POST',
          path: '/orders',
          headers: { authorization, 'content-type': 'application/json' },
          body: '['.repeat(250_000),
        }),
      ),
  },
  {
    name: 'sign-ins to the console with a megabyte of JSON',
    needs: 'consoleUrl',
    times: { short: 5, long: 50 },
    run: ({ console, target }, times) =>
      each(times, () =>
        console.send({
          method: 'POST',
          path: '/api/sign-in/password',
          headers: { 'content-type': 'application/json', origin: new URL(target.consoleUrl ?? '').origin },
          body: JSON.stringify({ name: Array.from({ length: 250_000 }, () => [0]) }),
        }),
      ),
  },
  {
    name: 'joins of indexed rows that take too long',
    needs: 'readersUrl',
    times: { short: 3, long: 12 },
    mayAnswer: [503],
    run: ({ readers }, times) =>
      Promise.all(Array.from({ length: times }, (_, number) => readers.send({ path: `/sql/db?${heavyJoin(number)}` }))),
  },
];

const host = (target: Target) => new URL(target.apiUrl).host;

async function each(times: number, send: (number: number) => Promise<unknown>): Promise<void> {
  for (let number = 0; number < times; number += 1) await send(number);
}

/** The service has read what was sent before it answers a request that came later. */
async function waitThenClose(api: Sender, target: Target, times: number, head: string): Promise<void> {
  const announced = 256 * 1024;
  const headers = `content-type: application/x-www-form-urlencoded\r\ncontent-length: ${announced}\r\n\r\n`;
  const ends = Array.from({ length: times }, () => api.leaveOpen(`${head}${headers}${'a'.repeat(announced - 1)}`));
  await api.send({ path: '/', headers: { host: host(target) } });
  for (const end of ends) end();
}

function upload({ api, authorization }: Attack, type: string, content: Buffer): Promise<Answer> {
  const boundary = 'hostile';
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="document"\r\ncontent-type: ${type}\r\n\r\n`;
  return api.send({
    method: 'POST',
    path: '/files',
    headers: { authorization, 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([Buffer.from(head), content, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  });
}

/** Shows a page, and sends its form as a browser does. */
async function submitPage({ api, target }: Attack, page: string, fields: Record<string, string>, from = api.address(0)): Promise<Answer> {
  const path = `/account/${page}`;
  const shown = await api.send({ path, from });
  const csrf = /name="csrf"\s+value="([^"]*)"/.exec(shown.text)?.[1] ?? '';
  const sent = form(new URLSearchParams({ csrf, ...fields }));
  return api.send({ ...sent, path, from, headers: { ...sent.headers, cookie: shown.cookies, origin: target.origin } });
}

function askForToken({ api }: Attack, fields: Record<string, string>): Promise<Answer> {
  return api.send({ ...form(new URLSearchParams(fields)), path: '/auth/token' });
}

function form(body: URLSearchParams) {
  return { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: body.toString() };
}

function heavyJoin(number: number): string {
  const digits = Array.from({ length: 9 }, (_, i) => `(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) t${i} (d${i})`);
  const sql = JSON.stringify({ json: { sql: `select count(*) + ${number} from ${digits.join(', ')}`, params: [] } });
  return new URLSearchParams({ sql }).toString();
}
