import type { Random } from '../simulation/random.ts';
import { encodeText, type HttpMessage } from './http-message.ts';

/** Texts that parsers, databases and pages stumble over. */
const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\u0000b',
  '\u001b[2J',
  '\u0085',
  '\u202E',
  '\uFEFF',
  '🦀'.repeat(50),
  'e\u0301'.repeat(40),
  '\ud800',
  'null',
  'undefined',
  'NaN',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  '0',
  '1e400',
  '9'.repeat(400),
  '0x',
  '0x' + 'f'.repeat(64),
  "' or 1=1 --",
  '"; drop table orders; --',
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../../../etc/passwd',
  '..%2f..%2f',
  '%00',
  '%',
  '%E0%A4%A',
  '%ff',
  'a&b=c',
  'a\r\nSet-Cookie: x=y',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T25:61:61Z',
  '10000-01-01T00:00:00Z',
  'IS140159260076545510730339',
  'DE89 3704 0044 0532 0130 00',
  'a'.repeat(10_000),
  'chiado',
  'eur',
] as const;

const nastyValues: readonly unknown[] = [
  ...nastyTexts,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 53,
  2 ** 63,
  [],
  {},
  [[]],
  [null],
  { length: -1 },
  { $ne: 1 },
  { toString: 1 },
];

const nastyKeys = ['__proto__', 'constructor', 'prototype', '', 'a.b', 'a[b]', '\u0000', 'toJSON', 'then'];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'get'];
const contentTypes = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'application/json, application/json',
  'application/merge-patch+json',
  '',
  '\u00e9/\u00e9',
  'a'.repeat(2_000),
];
const strangeHeaders: readonly [string, string][] = [
  ['Accept', 'application/vnd.mintrail.api-v1+json'],
  ['Accept', 'text/html'],
  ['Accept', ''],
  ['Accept', '*/*;q=0'],
  ['Accept-Encoding', 'br;q=1, *;q=0'],
  ['Content-Encoding', 'gzip'],
  ['Transfer-Encoding', 'gzip'],
  ['Expect', '100-continue'],
  ['Expect', 'wonders'],
  ['Range', 'bytes=0-1'],
  ['If-None-Match', '*'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-Forwarded-For', '203.0.113.7, garbage'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Original-URL', '/sandbox/mail'],
  ['Forwarded', 'for="[::1]";host=evil.example'],
  ['Host', 'evil.example'],
  ['Host', ''],
  ['Host', 'a b'],
  ['Host', '[::1'],
  ['Host', 'x:99999'],
  ['Origin', 'https://evil.example'],
  ['Origin', 'null'],
  ['Origin', ''],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Access-Control-Request-Method', 'PATCH'],
  ['Cookie', 'session=; device=;;='],
  ['Cookie', `session=${'a'.repeat(43)}`],
  ['Upgrade', 'websocket'],
  ['X-Correlation-Id', 'a\u0001b'],
  ['X-Correlation-Id', 'x'.repeat(129)],
  ['Authorization', 'Basic YTpi'],
  ['Authorization', 'Bearer'],
  ['Last-Event-ID', '0'],
  ['Last-Event-ID', '018f0000-0000-7000-8000-000000000000'],
  ['Idempotency-Key', ''],
  ['Idempotency-Key', 'k'.repeat(256)],
  ['Idempotency-Key', 'caf\u00e9'],
  ['X-Long', 'a'.repeat(15_000)],
  ['X-Longer', 'a'.repeat(40_000)],
  ['Bad Name', 'x'],
  ['', 'x'],
];

type Mutation = (message: HttpMessage, random: Random) => void;

const mutations: Record<string, Mutation> = {
  'a field of the body': (message, random) =>
    changeBody(message, random, (fields) => {
      const name = random.pick('field', Object.keys(fields).length === 0 ? ['x'] : Object.keys(fields));
      fields[name] = random.pick('value', nastyValues);
    }),
  'a missing field': (message, random) =>
    changeBody(message, random, (fields) => {
      const name = random.pick('field', Object.keys(fields));
      delete fields[name ?? ''];
    }),
  'a strange key': (message, random) =>
    changeBody(message, random, (fields) => {
      Object.defineProperty(fields, random.pick('key', nastyKeys), {
        value: random.pick('value', nastyValues),
        enumerable: true,
        configurable: true,
      });
    }),
  'deep JSON': (message, random) => {
    const depth = random.pick('depth', [50, 1_000, 20_000]);
    const [open, close] = random.pick('bracket', [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const);
    message.body = { kind: 'bytes', bytes: Buffer.from(`${open.repeat(depth)}1${close.repeat(depth)}`) };
    message.headers.push(['Content-Type', 'application/json']);
  },
  'a broken body': (message, random) => {
    const text = random.pick('text', [
      '',
      '{',
      '{"a":1',
      '[1,]',
      '\ufeff{}',
      '{"a":1}{"b":2}',
      'null',
      '"text"',
      '1e999',
      '{"a":"\\ud800"}',
      '&&&=&==',
      '--x',
    ]);
    message.body = { kind: 'bytes', bytes: Buffer.from(text) };
    message.headers.push(['Content-Type', random.pick('type', contentTypes)]);
  },
  'bytes that are no text': (message, random) => {
    message.body = { kind: 'bytes', bytes: Buffer.from([0xff, 0xfe, 0, 0xc3, 0x28, 0xed, 0xa0, 0x80]) };
    message.headers.push(['Content-Type', random.pick('type', contentTypes)]);
  },
  'a large body': (message, random) => {
    message.body = { kind: 'bytes', bytes: Buffer.alloc(random.pick('size', [255_000, 262_145, 400_000]), '{"a":') };
    message.headers.push(['Content-Type', 'application/json']);
  },
  'an encoding of the body': (message, random) => {
    message.headers.push(['Content-Type', random.pick('type', contentTypes)]);
  },
  'a header': (message, random) => void message.headers.push(random.pick('header', strangeHeaders)),
  'a repeated header': (message, random) => {
    const header = random.pick('which', message.headers.length === 0 ? strangeHeaders : message.headers);
    message.headers.push(random.pick('same', [header, [header[0], 'other']]));
  },
  'a missing header': (message, random) => {
    if (message.headers.length > 0) message.headers.splice(random.integer('which', 0, message.headers.length - 1), 1);
  },
  'another method': (message, random) => void (message.method = random.pick('method', methods)),
  'a query': (message, random) => {
    const name = random.pick('name', [
      'profile',
      'limit',
      'after',
      'state',
      'address',
      'chain',
      'txHash',
      'memo',
      'kind',
      'placedAfter',
      'client_id',
      'state',
      '__proto__',
      '',
    ]);
    const times = random.pick('times', [1, 1, 2, 100]);
    for (let time = 0; time < times; time += 1) message.query.push([name, random.pick('value', nastyTexts).slice(0, 9_000 / times)]);
  },
  'the path': (message, random) => {
    const parts = message.path.split('/');
    const value = random.pick('value', nastyTexts).slice(0, 2_000);
    parts[random.integer('part', 1, Math.max(1, parts.length - 1))] = encodeText(value);
    message.path = parts.join('/');
  },
  'the spelling of the path': (message, random) => {
    message.path = random.pick('spelling', [
      `${message.path}/`,
      `/${message.path}`,
      message.path.toUpperCase(),
      `/x/..${message.path}`,
      `/%2e%2e${message.path}`,
      `${message.path}%00`,
      `${message.path};a=b`,
      `${message.path}/../../health/live`,
      `http://evil.example${message.path}`,
      `${message.path}#x`,
      `${message.path}?`,
      '*',
    ]);
  },
  'the bytes': (message, random) => {
    message.wire = random.pick('wire', ['cut-off', 'length-too-long', 'length-too-short', 'chunked', 'bad-chunk'] as const);
  },
  'an idempotency key': (message, random) => void message.headers.push(['Idempotency-Key', `key-${random.integer('key', 1, 20)}`]),
};

/** Spoils a request in up to three ways. Returns what was done, for the report of a failure. */
export function mutate(message: HttpMessage, random: Random): string[] {
  const count = random.pick('count', [0, 0, 1, 1, 1, 2, 3]);
  const done: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const name = random.pick(`mutation ${turn}`, Object.keys(mutations));
    mutations[name]?.(message, random.of(`mutation ${turn}`));
    done.push(name);
  }
  return done;
}

/** Changes the fields of a body, or of an object somewhere in it. */
function changeBody(message: HttpMessage, random: Random, change: (fields: Record<string, unknown>) => void): void {
  const { body } = message;
  if (body.kind === 'json') {
    body.value = structuredClone(body.value);
    const objects = objectsIn(body.value);
    if (objects.length > 0) change(random.pick('object', objects));
  } else if (body.kind === 'form') {
    const fields: Record<string, unknown> = Object.fromEntries(body.fields);
    change(fields);
    body.fields = Object.entries(fields).map(([name, value]) => [name, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]);
  } else if (body.kind === 'multipart') {
    body.parts = [
      ...body.parts,
      [
        random.pick('part', ['file', 'csrf', 'x', '__proto__', 'a"; name="file']),
        random.pick('text', nastyTexts),
        random.pick('file', [undefined, 'x.pdf', '../../x', 'a\u0001b']),
      ] as [string, string, string?],
    ];
  }
}

function objectsIn(value: unknown): Record<string, unknown>[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(objectsIn);
  return Array.isArray(value) ? inner : [value as Record<string, unknown>, ...inner];
}
