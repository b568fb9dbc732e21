/** What Ponder runs a reader's statements by: those in SQL by `transaction`, those that count for GraphQL by `wrap`, whose first argument may be a label. */
interface PonderDatabase {
  transaction(run: (transaction: unknown) => Promise<unknown>, config?: unknown): Promise<unknown>;
  wrap(...args: [...label: object[], query: (db: PonderDatabase) => Promise<unknown>]): Promise<unknown>;
}

/**
 * SQLSTATE of what only another statement or other parameters mend: of the protocol (a parameter is missing), not supported, cardinality, data, syntax or
 * access, and limits of a program. All others are the service's: a timeout, a lost connection, no memory.
 */
const callersFault = /^(?:08P01|(?:0A|21|22|42|54)\w{3}): /;

/** What PostgreSQL says against a reader's statement, from the text of Ponder's answer; undefined for another failure. */
export const faultOf = (answer: string): string | undefined => (callersFault.test(answer) ? answer.replace(/^\w+: /, '') : undefined);

/**
 * Lets a statement of a reader fail at once, with the SQLSTATE before PostgreSQL's text, which is all that Ponder's
 * client answers. Ponder tries each nine times again, which takes a minute for what no trial mends, and ten statements' time of PostgreSQL. It does so by
 * methods of its own over those of drizzle's class.
 */
export function failAtOnce(db: object): void {
  const own = db as PonderDatabase;
  const drizzle = Object.getPrototypeOf(own) as PonderDatabase;
  own.transaction = (run, config) => withSqlState(drizzle.transaction.call(own, run, config));
  own.wrap = (...args) => withSqlState((args.at(-1) as (db: PonderDatabase) => Promise<unknown>)(own));
}

async function withSqlState(result: Promise<unknown>): Promise<unknown> {
  try {
    return await result;
  } catch (error) {
    const { code = 'none', message } = error as Error & { code?: string };
    throw new Error(`${code}: ${message}`, { cause: error });
  }
}
