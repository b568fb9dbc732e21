import { setTimeout as delay } from 'node:timers/promises';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { ConsoleEnv } from '../console-env.ts';

/** How often a quiet stream says that it is there: less than proxies wait. */
const heartbeatMs = 15_000;

/** A browser that takes nothing for so long is gone, and its stream is closed. */
const stalledMs = 30_000;

/**
 * `GET /api/live`: server-sent events. `changed` has the topics, as a JSON array, of which to read again; `database` is `away` or `back`. It ends
 * with the session, and has no history: whoever connects reads everything.
 */
export const liveRoute = new Hono<ConsoleEnv>().get('/', (context) => {
  const stream = context.var.live.open(context.var.operator);
  return streamSSE(context, async (sse) => {
    sse.onAbort(() => stream.close());
    let waiting = stream.next();
    await sse.write(': here\n\n');
    for (;;) {
      const news = await Promise.race([waiting, quiet(heartbeatMs)]);
      if (news === undefined) return;
      const text = news === 'quiet' ? ': here\n\n' : render(news);
      if (news !== 'quiet') waiting = stream.next();
      const written = await Promise.race([sse.write(text).then(() => 'written' as const), quiet(stalledMs)]);
      if (written === 'quiet') return stream.close();
    }
  });
});

function render({ changed, database }: { changed: ReadonlySet<string>; database: string | undefined }): string {
  const events = [
    ...(database === undefined ? [] : [`event: database\ndata: ${database}\n\n`]),
    ...(changed.size === 0 ? [] : [`event: changed\ndata: ${JSON.stringify([...changed])}\n\n`]),
  ];
  return events.join('');
}

/** Resolves after a time, for which no process is kept alive. */
async function quiet(milliseconds: number): Promise<'quiet'> {
  return delay(milliseconds, 'quiet' as const, { ref: false });
}
