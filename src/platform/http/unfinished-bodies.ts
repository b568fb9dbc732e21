import type { IncomingMessage } from 'node:http';

/** Seconds for a body of so many bytes, which is more than any but an upload has (`body-limit.ts`), and the bytes in each further second. */
const firstSeconds = 15;
const firstBytes = 256 * 1024;
const bytesPerSecond = 16 * 1024;

/** Seconds from which a body is slow. Others are on their way, or end in the next moment. */
const slowSeconds = 2;

/** Slow bodies of one network, and of all together: 64 uploads of 5 MB fill no disk, and a partner's server is one network. */
const slowOfNetwork = 32;
const slowOfAll = 64;

/** A request whose body has not arrived whole. */
interface Unfinished {
  incoming: IncomingMessage;
  network: string;
  /** What its socket had received before. */
  bytesBefore: number;
  /** Sweeps that it has lived through. */
  seconds: number;
}

/** The requests of a server whose bodies have not arrived whole. */
export interface UnfinishedBodies {
  /** Watches a request until its body has arrived. */
  add(incoming: IncomingMessage, network: string): void;
  /** Called each second: the requests that must end, because they are too slow, or too many are slow. They are watched no longer. */
  sweep(): IncomingMessage[];
}

/**
 * Watches how bodies arrive. Where too many are slow, the slowest of the network with the most goes first: who holds many holds them against themselves.
 * Time is counted in sweeps, and only while the sender is who is waited for: a process that was busy ends nobody's request.
 */
export function createUnfinishedBodies(): UnfinishedBodies {
  const unfinished = new Set<Unfinished>();

  const end = (ended: Unfinished[]): IncomingMessage[] => {
    for (const request of ended) unfinished.delete(request);
    return ended.map(({ incoming }) => incoming);
  };

  return {
    add(incoming, network) {
      const { headers } = incoming;
      if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
      unfinished.add({ incoming, network, bytesBefore: incoming.socket.bytesRead, seconds: 0 });
    },
    sweep() {
      for (const request of unfinished) {
        if (request.incoming.complete || request.incoming.destroyed) unfinished.delete(request);
        else if (!isUnread(request.incoming)) request.seconds += 1;
      }
      const late = [...unfinished].filter(isLate);
      return [...end(late), ...end(tooMany([...unfinished].filter(({ seconds }) => seconds >= slowSeconds)))];
    },
  };
}

/** Whether the sender is stopped, because nobody reads what it has sent. */
function isUnread({ readableLength, readableHighWaterMark }: IncomingMessage): boolean {
  return readableLength >= readableHighWaterMark;
}

function receivedBytes({ incoming, bytesBefore }: Unfinished): number {
  return incoming.socket.bytesRead - bytesBefore;
}

function isLate(request: Unfinished): boolean {
  return request.seconds > firstSeconds + Math.max(0, receivedBytes(request) - firstBytes) / bytesPerSecond;
}

/** The slowest of each network with too many, and then of those with the most, until all together are few enough. */
function tooMany(slow: Unfinished[]): Unfinished[] {
  const networks = [...Map.groupBy(slow, ({ network }) => network).values()];
  const rate = (request: Unfinished) => receivedBytes(request) / request.seconds;
  for (const requests of networks) requests.sort((left, right) => rate(right) - rate(left));
  const ended = networks.flatMap((requests) => requests.splice(slowOfNetwork));
  for (let kept = slow.length - ended.length; kept > slowOfAll; kept -= 1) {
    const [largest = []] = networks.toSorted((left, right) => right.length - left.length);
    ended.push(...largest.splice(-1));
  }
  return ended;
}
