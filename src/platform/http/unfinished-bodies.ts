import type { IncomingMessage } from 'node:http';

/** Seconds for a body of so many bytes, which is more than any but an upload has (`body-limit.ts`), and the bytes in each further second. */
const firstSeconds = 15;
const firstBytes = 256 * 1024;
const bytesPerSecond = 16 * 1024;

/** Seconds from which a body is slow. Others are on their way, or end in the next moment. */
const slowSeconds = 2;

/** Slow bodies of one sender, and of all strangers together: 64 uploads of 5 MB fill no disk. */
const slowOfSender = 32;
const slowOfStrangers = 64;

/** A request whose body has not arrived whole. */
interface Unfinished {
  incoming: IncomingMessage;
  /** The network that it comes from, or who has proved to send it. */
  sender: string;
  isProven: boolean;
  /** What its socket had received before. */
  bytesBefore: number;
  /** Sweeps that it has lived through. */
  seconds: number;
}

/** The requests of a server whose bodies have not arrived whole. */
export interface UnfinishedBodies {
  /** Watches a request until its body has arrived. */
  add(incoming: IncomingMessage, network: string): void;
  /** Counts the body of a request for who has proved to send it, and no longer among those of strangers. */
  prove(incoming: IncomingMessage, sender: string): void;
  /** Called each second: the requests that must end, because they are too slow, or too many are slow. They are watched no longer. */
  sweep(): IncomingMessage[];
}

/**
 * Watches how bodies arrive. Where too many are slow, the slowest of the sender with the most goes first: who holds many holds them against themselves, and
 * strangers hold none against an application.
 * Time is counted in sweeps, and only while the sender is who is waited for: a process that was busy ends nobody's request.
 */
export function createUnfinishedBodies(): UnfinishedBodies {
  const unfinished = new Map<IncomingMessage, Unfinished>();

  const end = (ended: Unfinished[]): IncomingMessage[] => {
    const requests = ended.map(({ incoming }) => incoming);
    for (const incoming of requests) unfinished.delete(incoming);
    return requests;
  };

  return {
    add(incoming, network) {
      const { headers } = incoming;
      if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
      unfinished.set(incoming, { incoming, sender: network, isProven: false, bytesBefore: incoming.socket.bytesRead, seconds: 0 });
    },
    prove(incoming, sender) {
      const request = unfinished.get(incoming);
      if (request !== undefined) Object.assign(request, { sender, isProven: true });
    },
    sweep() {
      for (const [incoming, request] of unfinished) {
        if (incoming.complete || incoming.destroyed) unfinished.delete(incoming);
        else if (!isUnread(incoming)) request.seconds += 1;
      }
      const late = end([...unfinished.values()].filter(isLate));
      return [...late, ...end(tooMany([...unfinished.values()].filter(({ seconds }) => seconds >= slowSeconds)))];
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

/** The slowest of each sender with too many, and then of the strangers with the most, until those together are few enough. */
function tooMany(slow: Unfinished[]): Unfinished[] {
  const senders = [...Map.groupBy(slow, ({ sender }) => sender).values()];
  for (const requests of senders) requests.sort((left, right) => rateOf(right) - rateOf(left));
  const ended = senders.flatMap((requests) => requests.splice(slowOfSender));
  const strangers = senders.filter(([first]) => first?.isProven === false);
  for (let kept = strangers.flat().length; kept > slowOfStrangers; kept -= 1) {
    const [largest = []] = strangers.toSorted((left, right) => right.length - left.length || slowestRate(left) - slowestRate(right));
    ended.push(...largest.splice(-1));
  }
  return ended;
}

/** Bytes per second. */
function rateOf(request: Unfinished): number {
  return receivedBytes(request) / request.seconds;
}

/** Of requests that are sorted by their rate. */
function slowestRate(requests: Unfinished[]): number {
  const slowest = requests.at(-1);
  return slowest === undefined ? Number.POSITIVE_INFINITY : rateOf(slowest);
}
