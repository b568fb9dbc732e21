import { randomUUID } from 'node:crypto';
import type { ConnectionFault, Forwarder } from '../support/processes/forwarder.ts';
import { until } from '../support/until.ts';
import { byStatus, type FaultRow } from './fault-row.ts';
import type { FaultWorld } from './world.ts';

const redisOf = ({ dependencies: { redis } }: FaultWorld) => {
  if (redis === undefined) throw new Error('there is no Redis');
  return redis;
};

const redisRows: readonly FaultRow[] = [
  {
    name: 'Redis accepts and is silent',
    needs: 'redis',
    begin: async (world) => redisOf(world).forwarder.setSilent(true),
    end: async (world) => redisOf(world).forwarder.setSilent(false),
    named: byStatus,
  },
  {
    name: 'Redis is gone',
    needs: 'redis',
    begin: (world) => redisOf(world).primary().kill(),
    end: (world) => redisOf(world).primary().start(),
    named: byStatus,
  },
  {
    name: 'Redis is read-only',
    needs: 'redis',
    begin: (world) => redisOf(world).setReadOnly(true),
    end: (world) => redisOf(world).setReadOnly(false),
    named: byStatus,
  },
  {
    name: 'Redis has another primary',
    needs: 'redis',
    mayStayUnnamed: true,
    begin: (world) => redisOf(world).failOver(),
    end: async () => {},
    named: byStatus,
    work: async (world) => {
      await until('no client is left on the replica', async () => (await redisOf(world).clientsOfReplica()).length === 0 || undefined);
    },
  },
];

/** What may be wrong with a server that is there, by the balancer before it. */
const late = 'takes each part 2 s late';
const serverFaults: Record<string, (forwarder: Forwarder, error: ConnectionFault) => void> = {
  'accepts and is silent': (forwarder) => forwarder.setSilent(true),
  [late]: (forwarder) => forwarder.disturb({ lateMs: 2_000 }),
  'answers with an error': (forwarder, error) => forwarder.disturb(error),
  'cuts what is sent in half': (forwarder) => forwarder.disturb('cuts'),
};

/** A row for each of them; `error` is how the server refuses a connection. */
function serverRows(
  name: string,
  error: ConnectionFault,
  forwarderOf: (world: FaultWorld) => Forwarder,
  optionsOf: (fault: string) => Partial<FaultRow>,
): FaultRow[] {
  return Object.entries(serverFaults).map(([fault, begin]) => {
    const row: FaultRow = {
      name: `${name} ${fault}`,
      begin: async (world) => begin(forwarderOf(world), error),
      end: async (world) => {
        forwarderOf(world).setSilent(false);
        forwarderOf(world).disturb(undefined);
      },
      named: byStatus,
    };
    return Object.assign(row, optionsOf(fault));
  });
}

const mailRows = serverRows(
  'the mail server',
  { answers: '421 4.3.2 Try again later\r\n', speaksFirst: true },
  ({ dependencies }) => dependencies.mail.forwarder,
  (fault) => ({
    // A late mail comes before anybody misses it.
    mayStayUnnamed: fault === late,
    work: async (world) => {
      const id = await world.mail();
      await until('the mail has come', async () => world.dependencies.mail.received.some((text) => text.includes(id)) || undefined);
    },
  }),
);

const storageRows = serverRows(
  'the object storage',
  { answers: 'HTTP/1.1 503 Slow Down\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', speaksFirst: false },
  ({ dependencies }) => dependencies.storage.forwarder,
  () => ({
    // Only who uploads waits.
    mayStayUnnamed: true,
    work: async (world) => {
      const id = await world.upload(randomUUID());
      await until('the file is kept', async () => world.dependencies.storage.holds(id) || undefined);
    },
  }),
);

/** A postmaster that ends is started again by the sandbox, as by a supervisor. */
const ended = (name: string, signal: NodeJS.Signals): FaultRow => ({
  name: `PostgreSQL is ${name}`,
  mayStayUnnamed: true,
  begin: async (world) => world.signalFirst(/bin\/postgres -D/, signal),
  end: async () => {},
  named: (world) => world.unready(),
});

/** The rows of what the service depends on, besides being frozen. */
export const dependencyRows: readonly FaultRow[] = [
  ...redisRows,
  ended('restarted', 'SIGINT'),
  ended('killed', 'SIGKILL'),
  {
    name: 'a webhook receiver hangs',
    // It is no problem of the service, and is listed once it is behind by a minute.
    mayStayUnnamed: true,
    begin: async ({ receivers }) => receivers.failing.answerWith('hang'),
    end: async ({ receivers }) => receivers.failing.answerWith(200),
    named: async (world) => ((await world.failingReceivers()) > 0 ? 'status: receivers that fail' : undefined),
    // Another receiver is told of everything, and in the end this one is, too.
    work: async ({ receivers }, order) => {
      const id = await order;
      for (const { accepted } of [receivers.healthy, receivers.failing])
        await until('a receiver is told', async () => accepted().some(({ subject }) => subject === id) || undefined);
    },
  },
  ...mailRows,
  ...storageRows,
  ...[90, -90].map((seconds): FaultRow => ({
    name: `the clocks of Mintrail's processes are ${Math.abs(seconds)} s ${seconds > 0 ? 'fast' : 'slow'}`,
    mayStayUnnamed: true,
    begin: async (world) => {
      world.dependencies.setClock(seconds);
      await until('the API reads that clock', async () => {
        // It logs the request.
        await world.isProcessed();
        return Math.abs(world.loggedTime() - Date.now() - seconds * 1_000) < 60_000 || undefined;
      });
    },
    end: async ({ dependencies }) => dependencies.setClock(0),
    named: byStatus,
  })),
];
