import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { MintrailApiError, MintrailUnreachableError } from '../../client/errors.ts';
import { createStreamParser } from '../../client/event-stream.ts';
import { readEvents, type StreamEvent } from '../../client/events.ts';

const closing: (() => void)[] = [];
afterEach(() => closing.splice(0).forEach((close) => close()));

type Connection = (response: ServerResponse) => void;

/** A server that answers each connection in its own way, and keeps where each wants to go on. */
async function serve(...connections: Connection[]) {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.headers['last-event-id'] as string | undefined);
    const answer = connections[asked.length - 1] ?? ((last) => void last.writeHead(204).end());
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const open = async (lastEventId: string, signal?: AbortSignal) => {
    const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
    const response = await fetch(url, { headers, ...(signal ? { signal } : {}) }).catch((cause: unknown) => {
      throw new MintrailUnreachableError('lost', { cause });
    });
    if (!response.ok) throw new MintrailApiError(`GET ${url}`, response, await response.text());
    return response;
  };
  return { asked, open };
}

const lines = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(`retry: 1\n\n${text}`);
  return response;
};
const ended = (text: string) => (response: ServerResponse) => void lines(text)(response).end();
const torn = (text: string) => (response: ServerResponse) => {
  lines(text)(response);
  setTimeout(() => response.destroy(), 50);
};

async function all(stream: AsyncIterable<StreamEvent>): Promise<unknown[]> {
  const events = [];
  for await (const { id, type, data } of stream) events.push([id, type, data]);
  return events;
}

describe('a stream of events', () => {
  it('is read until the service says that it is over', async () => {
    const { open, asked } = await serve(ended('id: 1\nevent: order\ndata: {"a":1}\n\n: still here\n\ndata: "b"\n\n'));
    expect(await all(readEvents(open))).toEqual([
      ['1', 'order', { a: 1 }],
      ['1', 'message', 'b'],
    ]);
    expect(asked).toEqual([undefined, '1']);
  });

  it('goes on after the last whole event when its connection is torn', async () => {
    const { open, asked } = await serve(torn('id: 1\ndata: 1\n\nid: 2\ndata: 2\n\nid: 3\ndata: 3'), ended('id: 3\ndata: 3\n\n'));
    expect(await all(readEvents(open))).toEqual([1, 2, 3].map((n) => [String(n), 'message', n]));
    expect(asked).toEqual([undefined, '2', '3']);
  });

  it('goes on where it began when it is torn before its first event', async () => {
    const { open, asked } = await serve(torn('id: 5\n\n'), ended('id: 6\ndata: 6\n\n'));
    expect(await all(readEvents(open))).toEqual([['6', 'message', 6]]);
    expect(asked).toEqual([undefined, '5', '6']);
  });

  it('loses nothing wherever it is torn, from the header of its answer on', async () => {
    const text = 'retry: 1\n\nid: 5\n\nid: 6\ndata: 6\n\n';
    const tornAfter = async (length: number) => {
      const cut = (response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'text/event-stream', 'last-event-id': '5' }).flushHeaders();
        response.write(text.slice(0, length));
        setTimeout(() => response.destroy(), 50);
      };
      const { open } = await serve(cut, (response) =>
        ended(response.req.headers['last-event-id'] === '5' ? 'id: 6\ndata: 6\n\n' : '')(response),
      );
      return all(readEvents(open));
    };
    const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
    expect(await Promise.all(lengths.map(tornAfter))).toEqual(lengths.map(() => [['6', 'message', 6]]));
  });

  it.each(['\n', '\r', '\r\n'])('has the same blocks however its text is cut, with lines that end by %j', (end) => {
    const text = [
      'retry: 5',
      'id: 1',
      '',
      ': still here',
      '',
      'event:order',
      'data: {',
      'data:  }',
      'data',
      'id',
      'retry: x',
      '',
      'data: lost',
      '',
    ].join(end);
    const blocks = [{ retry: 5, id: '1' }, {}, { event: 'order', data: '{\n }\n', id: '' }];
    for (let size = 1; size < text.length; size += 1) {
      const parse = createStreamParser();
      const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));
      expect(pieces.flatMap(parse)).toEqual(blocks);
    }
  });

  it('goes on after the event that the caller names', async () => {
    const { open, asked } = await serve(ended('id: 8\ndata: 8\n\n'));
    expect(await all(readEvents(open, { lastEventId: '7' }))).toEqual([['8', 'message', 8]]);
    expect(asked[0]).toBe('7');
  });

  it('waits for a service that is out of reach, or busy, for a while', async () => {
    const { open, asked } = await serve(
      ended('id: 1\ndata: 1\n\n'),
      (response) => void response.destroy(),
      (response) => void response.writeHead(503).end(),
      ended('id: 2\ndata: 2\n\n'),
    );
    expect(await all(readEvents(open))).toHaveLength(2);
    expect(asked).toEqual([undefined, '1', '1', '1', '2']);
  });

  it('puts characters together that come in two pieces', async () => {
    const bytes = Buffer.from('data: "Jón"\n\n');
    const { open } = await serve((response) => {
      lines('')(response).write(bytes.subarray(0, 9));
      setTimeout(() => response.end(bytes.subarray(9)), 50);
    });
    expect(await all(readEvents(open))).toEqual([['', 'message', 'Jón']]);
  });

  it('throws when the service refuses', async () => {
    const { open } = await serve(ended('data: 1\n\n'), (response) => void response.writeHead(403).end());
    await expect(all(readEvents(open))).rejects.toMatchObject({ status: 403 });
  });

  it('throws when the service is out of reach from the start', async () => {
    const { open } = await serve((response) => void response.destroy());
    await expect(all(readEvents(open))).rejects.toBeInstanceOf(MintrailUnreachableError);
  });

  it('lets go of its connection when the reader stops', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const { open } = await serve((response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      lines('data: 1\n\ndata: 2\n\n')(response);
    });
    for await (const { data } of readEvents(open)) {
      expect(data).toBe(1);
      break;
    }
    await closed;
  });

  it('ends with the reason of its signal', async () => {
    const { open } = await serve(lines('data: 1\n\n'));
    const leaving = new AbortController();
    const events = readEvents((last) => open(last, leaving.signal), { signal: leaving.signal });
    expect((await events.next()).value).toMatchObject({ data: 1 });
    const reason = new Error('the user left');
    setTimeout(() => leaving.abort(reason), 50);
    await expect(events.next()).rejects.toBe(reason);
  });
});
