import { expect, it } from 'vitest';
import { endSessionsOf } from '../../src/ledger/access/sessions.ts';
import { operatorSubject } from '../../src/ledger/access/subject.ts';
import { addOperator } from '../../src/ledger/operators/operators.ts';
import { useTestConsole } from './support/test-console.ts';

const console = useTestConsole();

/** The events of a stream, as they come. */
async function follow(cookie: string) {
  const response = await console.app.request('http://localhost:3010/api/live', { headers: { Host: 'localhost:3010', Cookie: cookie } });
  expect(response.headers.get('Content-Type')).toBe('text/event-stream');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const decoder = new TextDecoder();
  return {
    /** Reads on until the text appears; `undefined` when the stream ends before. */
    async until(text: string): Promise<string | undefined> {
      for (let seen = ''; ;) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        seen += decoder.decode(value, { stream: true });
        if (seen.includes(text)) return seen;
      }
    },
    cancel: () => reader.cancel(),
  };
}

it('says what has changed, that the database is away and back, and ends with the session', async () => {
  const viewer = await console.signedIn('viewer');
  const stream = await follow(`console-3010=${viewer.secret}`);
  expect(await stream.until(': here')).toBeDefined();
  // The first look has nothing to compare with.
  const adding = setInterval(() => void addOperator(console.ledger, { name: `n${Date.now()}`, role: 'viewer' }), 300);
  expect(await stream.until('"operators"')).toContain('event: changed');
  clearInterval(adding);

  await console.outage(async () => {
    expect(await stream.until('data: away')).toContain('event: database');
  });
  expect(await stream.until('data: back')).toContain('event: changed');

  await endSessionsOf(console.ledger, operatorSubject(viewer.name));
  expect(await stream.until('nothing of this kind')).toBeUndefined();
});

it('says that the database is away when it takes a question and does not answer', async () => {
  const viewer = await console.signedIn('viewer');
  const stream = await follow(`console-3010=${viewer.secret}`);
  expect(await stream.until(': here')).toBeDefined();
  const holder = await console.pool.connect();
  await holder.query('begin');
  await holder.query('lock table sessions in access exclusive mode');
  expect(await stream.until('data: away')).toContain('event: database');
  await holder.query('rollback');
  holder.release();
  expect(await stream.until('data: back')).toContain('event: changed');
  await stream.cancel();
});

it('has a bounded number of streams for each operator', async () => {
  const viewer = await console.signedIn('viewer');
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(`console-3010=${viewer.secret}`)));
  expect(await viewer.get('/api/live')).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
  await Promise.all(streams.map((stream) => stream.cancel()));
  const again = await follow(`console-3010=${viewer.secret}`);
  await again.cancel();
});
