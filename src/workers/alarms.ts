import type { Log } from '../platform/log.ts';
import { catalogue, type ProblemKind } from '../problems/catalogue.ts';
import type { LegKind } from '../schema/states.ts';

/** Something that an operator should know of while it lasts: an alarm, or a warning of what ends soon. */
export interface Alarm {
  kind: ProblemKind;
  /** What it is about, such as a signer with a nonce; an alarm is known by its kind and subject. */
  subject: string;
  /** What happened, with its values, and the remedy. */
  text: string;
  /** RFC 3339. */
  since: string;
  /** The kind of the legs that wait for its end, where it is of one kind alone. */
  waiting?: LegKind;
  /** What it has in common with others of its kind on its network: with the same cause they are one problem. */
  cause?: string;
}

/** What is known of an alarm beside its text. */
interface AlarmFacts {
  /** When its cause began, in milliseconds; by default it begins when it is raised. */
  since?: number | undefined;
  waiting?: LegKind | undefined;
  cause?: string | undefined;
}

/** The alarms of a worker. They live in its memory and travel in its heartbeat, so that none outlives its cause or its worker. */
export interface Alarms {
  /** Raises an alarm, or replaces the text of one that is raised. The log gets it once, when it is raised. */
  raise(kind: Alarm['kind'], subject: string, text: string, facts?: AlarmFacts): void;
  /** Ends an alarm. Does nothing when it is not raised. */
  clear(kind: Alarm['kind'], subject: string): void;
  /** All that are raised, the oldest first. */
  list(): Alarm[];
}

/** Characters of an alarm's text. */
const longestText = 600;

/** Creates the alarms of a worker; none is raised at first. `now` is the time in milliseconds. */
export function createAlarms(log: Log, now: () => number = Date.now): Alarms {
  const raised = new Map<string, Alarm>();
  return {
    raise(kind, subject, longText, { since = now(), waiting, cause } = {}) {
      const key = keyOf(kind, subject);
      const known = raised.get(key);
      // Errors of clients have many lines, and an alarm is one.
      const text = longText.replaceAll(/\s+/g, ' ').trim().slice(0, longestText);
      if (!known) log[catalogue[kind].severity === 'soon' ? 'warn' : 'error']({ alarm: kind, subject }, text);
      const facts = { ...(waiting && { waiting }), ...(cause && { cause: cause.slice(0, longestText) }) };
      raised.set(key, { kind, subject, text, since: known?.since ?? new Date(since).toISOString(), ...facts });
    },
    clear(kind, subject) {
      if (raised.delete(keyOf(kind, subject))) log.info({ alarm: kind, subject }, 'the alarm has ended');
    },
    list: () => [...raised.values()],
  };
}

/** The alarms of one part of a worker, such as a lane; they stand among those of the worker. */
export interface PartAlarms extends Alarms {
  /** Ends all that this part raised: it has stopped looking, so that it cannot know whether their causes last. */
  clearAll(): void;
}

/** Creates the alarms of one part of a worker. No two parts raise alarms of the same kind and subject. */
export function createPartAlarms(all: Alarms): PartAlarms {
  const own = new Map<string, Pick<Alarm, 'kind' | 'subject'>>();
  return {
    raise(kind, subject, text, facts) {
      own.set(keyOf(kind, subject), { kind, subject });
      all.raise(kind, subject, text, facts);
    },
    clear(kind, subject) {
      if (own.delete(keyOf(kind, subject))) all.clear(kind, subject);
    },
    list: () => all.list().filter(({ kind, subject }) => own.has(keyOf(kind, subject))),
    clearAll() {
      for (const { kind, subject } of own.values()) all.clear(kind, subject);
      own.clear();
    },
  };
}

function keyOf(kind: Alarm['kind'], subject: string): string {
  return `${kind} ${subject}`;
}
