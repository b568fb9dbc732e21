import { setTimeout as delay } from 'node:timers/promises';
import { pdf } from '../support/documents.ts';
import { repeatedScans, unpackingPdf } from '../support/hostile-documents.ts';
import { form } from './form.ts';
import { gasRows } from './gas-rows.ts';
import { type Attack, type Row, short } from './row.ts';
import type { Answer, Sender } from './sender.ts';
import type { Target } from './targets.ts';
import { walletRow } from './wallet-row.ts';

/** All of them. */
export const rows: readonly Row[] = [
  {
    name: 'a JPEG of 49 megapixels whose scans repeat',
    times: { short: 10, long: 6_000 },
    bound: { processorMs: 10_000, megabytes: 700 },
    run: async (attack, scans) => void (await upload(attack, 'image/jpeg', await repeatedScans(scans))),
  },
  {
    name: 'PDFs that unpack to a gigabyte, and one that is a document',
    times: { long: 20 },
    bound: { processorMs: 10_000, megabytes: 700 },
    async run(attack, times) {
      const bomb = unpackingPdf();
      for (let sent = 0; sent < times; sent += 1) await upload(attack, 'application/pdf', bomb);
      await upload(attack, 'application/pdf', pdf);
    },
  },
  {
    name: 'bodies of which the last byte is missing',
    times: { short: 100, long: 1_400 },
    bound: { ...short, megabytes: 200 },
    run: ({ api, target }, times) => waitThenClose(api, target, times, `POST /auth/token HTTP/1.1\r\nhost: ${host(target)}\r\n`),
  },
  {
    name: 'requests whose headers do not end',
    times: { long: 1_000 },
    bound: short,
    async run({ api, target }, times) {
      const ends = Array.from({ length: times }, () => api.leaveOpen(`GET / HTTP/1.1\r\nhost: ${host(target)}\r\nx: `));
      await api.send({ path: '/' });
      for (const end of ends) end();
    },
  },
  {
    name: 'codes to one mailbox from sixteen network addresses, and from that of the newcomer who owns it',
    times: { long: 160 },
    bound: { ...short, processorMs: 150 },
    async run(attack, times) {
      const fields = { name: 'Newcomer', email: 'newcomer@money.example', password: 'correct horse battery staple' };
      const own = attack.api.address(16);
      await each(times, (number) => submitPage(attack, 'reset-password', fields, attack.api.address(number % 16)));
      await each(times, () => submitPage(attack, 'reset-password', fields, own));
      // The address has its limit of requests in a minute, and then each browser its wait.
      let left = mostWaitSeconds;
      const patient = async (ask: () => Promise<Answer>, isDone: (answer: Answer) => boolean): Promise<Answer> => {
        for (;;) {
          const answer = await ask();
          const [, count, unit] = /(?:Wait|try again in) (\d+) (s|seconds|minutes)\b/.exec(answer.text) ?? [];
          const seconds = Number(count ?? Infinity) * (unit === 'minutes' ? 60 : 1);
          if (isDone(answer) || seconds > left) return answer;
          left -= seconds;
          await delay((seconds + 1) * 1_000);
        }
      };
      const browser = await patient(
        () => openPage(attack, 'sign-up', own),
        ({ status }) => status === 200,
      );
      const { status, text } = await patient(
        () => submitPage(attack, 'sign-up', fields, own, browser),
        (answer) => answer.status === 303,
      );
      return status === 303 ? [] : [`the newcomer is answered ${status} after waits of ${mostWaitSeconds - left} s: ${text.slice(0, 300)}`];
    },
  },
  {
    name: 'guesses of one password',
    times: { long: 200 },
    bound: { ...short, processorMs: 150 },
    run: (attack, times) =>
      each(times, (number) => submitPage(attack, 'sign-in', { email: 'owner@money.example', password: `guess ${number}` })),
  },
  {
    name: 'wrong secrets of an application',
    times: { long: 2_000 },
    bound: short,
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
    times: { long: 2_000 },
    bound: short,
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
    times: { long: 5_000 },
    bound: short,
    run: ({ api }, times) =>
      each(times, (number) => api.send({ path: '/auth/context', headers: { authorization: `Bearer ${'x'.repeat(40)}${number}` } })),
  },
  {
    name: 'preflights',
    times: { long: 5_000 },
    bound: short,
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
    bound: { ...short, processorMs: 100 },
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
    times: { long: 50 },
    bound: { processorMs: 200, megabytes: 200 },
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
    times: { long: 12 },
    bound: { processorMs: 3_000, megabytes: 400 },
    mayAnswer: [503],
    run: async ({ readers }, times) =>
      void (await Promise.all(Array.from({ length: times }, (_, number) => readers.send({ path: `/sql/db?${heavyJoin(number)}` })))),
  },
  {
    name: 'readers of indexed rows who hang up and come back',
    needs: 'readersUrl',
    times: { long: 60 },
    bound: { processorMs: 500, megabytes: 500 },
    async run({ readers, target }, times) {
      const { host: readersHost } = new URL(target.readersUrl ?? '');
      for (let number = 0; number < times; number += 1) {
        const hangUp = readers.leaveOpen(`GET /sql/db?${heavyJoin(number)} HTTP/1.1\r\nhost: ${readersHost}\r\n\r\n`);
        await delay(1_000);
        hangUp();
      }
      const query = new URLSearchParams({ sql: JSON.stringify({ json: { sql: 'select 1', params: [] } }) });
      const { status } = await readers.send({ path: `/sql/db?${query.toString()}`, from: readers.address(1) });
      return status === 200 ? [] : [`another reader was answered ${status}`];
    },
  },
  {
    name: 'links of contract accounts that nobody has approved',
    needs: 'partner',
    times: { long: 500 },
    bound: short,
    async run({ api, target }, times) {
      const headers = { authorization: `Bearer ${target.partner?.token}`, 'content-type': 'application/json' };
      let waiting = 0;
      for (let number = 0; number < times; number += 1) {
        const address = `0x5${number.toString(16).padStart(39, '0')}`;
        const body = JSON.stringify({ profile: target.partner?.profile, address, chain: 'gnosis', signature: '0x' });
        const { status } = await api.send({ method: 'POST', path: '/addresses', headers, body });
        if (status === 202) waiting += 1;
      }
      return waiting === 3 ? [] : [`${waiting} links of a profile that nobody has approved wait, instead of 3`];
    },
  },
  {
    name: 'a used code of authorization with wrong verifiers',
    needs: 'granted',
    times: { long: 500 },
    bound: short,
    async run({ api, target }, times) {
      const { clientId = '', code = '', redirectUri = '', token = '' } = target.granted ?? {};
      const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirectUri };
      await each(times, (number) =>
        api.send({ ...form(new URLSearchParams({ ...fields, code_verifier: `${number}`.padStart(43, 'v') })), path: '/auth/token' }),
      );
      const { status } = await api.send({ path: '/auth/context', headers: { authorization: `Bearer ${token}` }, from: api.address(1) });
      return status === 200 ? [] : [`the user's own token is answered ${status}`];
    },
  },
  walletRow,
  ...gasRows,
];

/** For which a newcomer waits at most, whatever was asked for from their own address: its minute, and two minutes of their browser. */
const mostWaitSeconds = 180;

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

/** What a browser has after it has shown a page. */
type ShownPage = Pick<Answer, 'cookies' | 'text'>;

const openPage = ({ api }: Attack, page: string, from: string): Promise<Answer> => api.send({ path: `/account/${page}`, from });

/** Sends the form of a page as a browser does, a new one that shows it before, unless it has. */
async function submitPage(
  attack: Attack,
  page: string,
  fields: Record<string, string>,
  from = attack.api.address(0),
  browser?: ShownPage,
): Promise<Answer> {
  const { api, target } = attack;
  const path = `/account/${page}`;
  const shown = browser ?? (await openPage(attack, page, from));
  const csrf = /name="csrf"\s+value="([^"]*)"/.exec(shown.text)?.[1] ?? '';
  const sent = form(new URLSearchParams({ csrf, ...fields }));
  return api.send({ ...sent, path, from, headers: { ...sent.headers, cookie: shown.cookies, origin: target.origin } });
}

function askForToken({ api }: Attack, fields: Record<string, string>): Promise<Answer> {
  return api.send({ ...form(new URLSearchParams(fields)), path: '/auth/token' });
}

function heavyJoin(number: number): string {
  const digits = Array.from({ length: 9 }, (_, i) => `(values (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) t${i} (d${i})`);
  const sql = JSON.stringify({ json: { sql: `select count(*) + ${number} from ${digits.join(', ')}`, params: [] } });
  return new URLSearchParams({ sql }).toString();
}
