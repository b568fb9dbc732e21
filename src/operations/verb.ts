import type { z } from 'zod';
import type { Ledger } from '../ledger/ledger.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { FileStorage } from '../platform/storage.ts';
import type { OperatorRole } from '../schema/states.ts';
import type { Topic } from './topics.ts';

/** What a verb is carried out with. */
export interface VerbContext {
  ledger: Ledger;
  settings: Settings;
  log: Log;
  /** Where uploaded files are; the command line has none. */
  files?: FileStorage;
  /** Who asks for it; when a second person approved it, the one who asked first. */
  operator: { name: string; role: OperatorRole };
  /** Names what belongs to the same request or command in the audit log. */
  correlationId?: string;
  /** The second person who approved it; not set when it takes none. */
  approvedBy?: string;
  /** Why a command does it without the second person that it may take. */
  alone?: string;
}

/** What may be answered as JSON. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json | undefined };

/** A change that operators make, in the console or by a command (docs/console.md, Actions). */
export interface Verb<
  Name extends string = string,
  Schema extends z.ZodType = z.ZodType,
  Result extends Json | void = Json | void,
  Facts = unknown,
> {
  /** Room and verb, such as `orders.give-back`. */
  name: Name;
  /** What it does, in a few words: the help of its command. */
  summary: string;
  /**
   * The command that does it, such as `orders give-back <order>`: the fields in brackets are arguments, in this order, the others are options. Not set for
   * what only a page can do.
   */
  command?: string | undefined;
  /** What the browser sends, and nothing else: it is kept as JSON while it waits for a second person, who reads all of it. It never holds a secret. */
  input: Schema;
  /**
   * Fields that a page has shown to whoever asks, as they are now, such as the state of what is changed: an option of the command for each of them may be
   * left out.
   */
  shown?: readonly (keyof z.input<Schema> & string)[] | undefined;
  /** Reads what {@link shown} names, for a command line without it. Throws when there is no such thing. */
  readShown?: (context: VerbContext, body: Partial<z.input<Schema>>) => Promise<Partial<z.input<Schema>>>;
  /** Who may ask for it, and who may approve it. */
  roles: readonly OperatorRole[];
  /** Whether it moves money or grants power, and so takes a second person where `FOUR_EYES` is on. */
  needsSecondPerson: boolean | ((context: VerbContext, input: z.output<Schema>) => Promise<boolean>);
  /**
   * One sentence for the second person, and for whoever asks: what happens, with amounts, names and addresses in full, as the ledger has them.
   * Throws when the verb makes no sense, such as for an order that does not exist.
   */
  describe: (context: VerbContext, input: z.output<Schema>) => Promise<string>;
  /** Finds out what only others know, such as a node, before the transaction of {@link carryOut} begins: it waits for nobody. */
  lookUp?: (context: VerbContext, input: z.output<Schema>) => Promise<Facts>;
  /**
   * Does it, guarded against what others do at the same time. The ledger of the context is a transaction, in which is also recorded that it was carried out:
   * neither stands without the other. Returns what the operator is shown.
   */
  carryOut: (context: VerbContext, input: z.output<Schema>, facts: Facts) => Promise<Result>;
  /** Whether the result holds a secret: it is answered once to whoever carries the verb out, who is never the one who asked for it, and kept nowhere. */
  isResultSecret?: boolean;
  /** Topics of which browsers read again when it was carried out. */
  topics: readonly Topic[];
}

/** Defines a verb. The types of its input and its result reach the browser. */
export function defineVerb<const Name extends string, Schema extends z.ZodType, Result extends Json | void, Facts = undefined>(
  verb: Verb<Name, Schema, Result, Facts>,
): Verb<Name, Schema, Result, Facts> {
  return verb;
}
