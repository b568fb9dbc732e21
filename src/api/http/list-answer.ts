import { mapPage } from '../../ledger/page.ts';
import { messageOf } from '../../platform/errors.ts';
import { createFairTurns } from '../../platform/limits/fair-turns.ts';
import type { Log } from '../../platform/log.ts';
import { baseUrl, type Settings } from '../../platform/settings.ts';
import type { AnswerList, ListResponse } from '../api.ts';

/** Long answers to one application that are written at the same time, and those that wait for it. More are answered with 429. */
const longAnswersAtOnce = 4;
const longAnswersWaiting = 40;

/** Milliseconds that a reader has for the next chunk of a long answer. It is cut off after that, so that its turn goes to another. */
const stallMs = 20_000;

/**
 * Creates the answers to lists. A page of more than one chunk is written while it is read, so that it takes the memory of one chunk, and at
 * the pace of its reader. Throws `rate_limited` when too many of an application wait.
 */
export function createListAnswer({ settings, log }: { settings: Settings; log: Log }): AnswerList {
  const takeTurn = createFairTurns({ runningPerOwner: longAnswersAtOnce, waitingPerOwner: longAnswersWaiting });

  return async (context, name, page, render, besides = {}) => {
    if (page.next !== undefined) {
      const { pathname: path, searchParams: query } = new URL(context.req.url);
      context.header('Link', nextLink(settings, { path, query, after: page.next }));
    }
    const { rows, rest, total, isTotalEstimated } = mapPage(page, render);
    const totals = { total, ...(isTotalEstimated && { totalIsEstimate: true as const }), ...besides };
    type Answer = ListResponse<typeof name, (typeof rows)[number]>;
    if (rest === undefined) return context.json({ [name]: rows, ...totals }, 200) as unknown as Answer;
    context.header('Content-Type', 'application/json');
    // The answer to HEAD has no body, so nobody would read it.
    if (context.req.method === 'HEAD') return context.body(null, 200) as unknown as Answer;
    // Bytes take less memory than rows while the answer waits for its turn.
    const parts = renderParts(encoder.encode(`{"${name}":[${itemsOf(rows)}`), rest, totals);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    // The turn lasts until the answer has ended.
    takeTurn(context.var.caller.application, () => {
      const { stream, ended } = streamOf(parts, (error) => {
        log.error({ correlationId: context.var.correlationId, path: context.req.path, err: messageOf(error) }, 'a list was broken off');
      });
      resolve(context.body(stream, 200) as unknown as Answer);
      return ended;
    }).catch(reject);
    return promise;
  };
}

/** The text of a `Link` to the page after a cursor, of a list with the same filters. */
export function nextLink(settings: Settings, { path, query, after }: { path: string; query?: URLSearchParams; after: string }): string {
  const search = new URLSearchParams(query);
  search.set('after', after);
  return `<${baseUrl(settings)}${path}?${search.toString()}>; rel="next"`;
}

const encoder = new TextEncoder();

async function* renderParts(first: Uint8Array, rest: AsyncIterable<unknown[]>, totals: object): AsyncGenerator<Uint8Array> {
  yield first;
  for await (const items of rest) yield encoder.encode(`,${itemsOf(items)}`);
  yield encoder.encode(`],${JSON.stringify(totals).slice(1)}`);
}

/** The items of a list as JSON, without the brackets around them. */
function itemsOf(items: unknown[]): string {
  return JSON.stringify(items).slice(1, -1);
}

/** A stream that takes each part when its reader wants it. `ended` resolves when nothing more is to come, for whatever reason. */
function streamOf(
  parts: AsyncGenerator<Uint8Array>,
  onError: (error: unknown) => void,
): { stream: ReadableStream<Uint8Array>; ended: Promise<void> } {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let stall: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearTimeout(stall);
    void parts.return(undefined).catch(() => {});
    resolve();
  };
  const fail = (controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void => {
    end();
    onError(error);
    // The answer has begun: only a broken connection tells the reader that it is not whole.
    controller.error(error);
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stall = setTimeout(() => fail(controller, new Error('it is read too slowly')), stallMs).unref();
      },
      async pull(controller) {
        try {
          const { done, value } = await parts.next();
          if (!done) {
            controller.enqueue(value);
            stall?.refresh();
            return;
          }
          end();
          controller.close();
        } catch (error) {
          fail(controller, error);
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return { stream, ended };
}
