import { CompiledQuery, type DatabaseConnection, type Dialect, type Driver, PostgresDialect } from 'kysely';
import { type Pool, escapeLiteral } from 'pg';
import { type Actor, auditedActor, currentActor } from '../acting.ts';
import { isOutdatedPlan } from './prepared-statements.ts';

/** A connection, and what the transaction that is open on it was begun with. */
interface ActingConnection extends DatabaseConnection {
  plain: DatabaseConnection;
  transaction: { actor: Actor | undefined } | undefined;
}

/**
 * PostgreSQL through a pool, where each transaction knows on whose behalf it writes ({@link currentActor}): its `mintrail.actor` is the actor as JSON, which the
 * triggers of the audit log read (src/schema/audit.sql). It is set in the message that begins the transaction, and ends with it, so the next user of a
 * pooled connection does not have it. A statement that writes for an actor outside of a transaction is executed in one of its own. A
 * transaction is one actor's: a statement of another in it throws.
 */
export function createActingDialect(pool: Pool): Dialect {
  const dialect = new PostgresDialect({ pool });
  return {
    createAdapter: () => dialect.createAdapter(),
    createDriver: () => createActingDriver(dialect.createDriver()),
    createIntrospector: (database) => dialect.createIntrospector(database),
    createQueryCompiler: () => dialect.createQueryCompiler(),
  };
}

function plainOf(connection: DatabaseConnection): DatabaseConnection {
  return (connection as ActingConnection).plain;
}

/** The plain connection, on which the transaction ends now. */
function ended(connection: DatabaseConnection): DatabaseConnection {
  (connection as ActingConnection).transaction = undefined;
  return plainOf(connection);
}

function createActingDriver(driver: Driver): Driver {
  return {
    init: () => driver.init(),
    destroy: () => driver.destroy(),
    acquireConnection: async () => createActingConnection(driver, await driver.acquireConnection()),
    releaseConnection: (connection) => driver.releaseConnection(plainOf(connection)),
    async beginTransaction(connection) {
      const actor = currentActor();
      await begin(plainOf(connection), actor);
      (connection as ActingConnection).transaction = { actor };
    },
    commitTransaction: (connection) => driver.commitTransaction(ended(connection)),
    rollbackTransaction: (connection) => driver.rollbackTransaction(ended(connection)),
  };
}

function createActingConnection(driver: Driver, plain: DatabaseConnection): ActingConnection {
  const connection: ActingConnection = {
    plain,
    transaction: undefined,
    async executeQuery<Row>(query: CompiledQuery) {
      if (!writes(query.sql)) return plain.executeQuery<Row>(query);
      const actor = currentActor();
      const { transaction } = connection;
      if (transaction !== undefined && transaction.actor !== actor)
        throw new Error(`A transaction of ${nameOf(transaction.actor)} was about to write for ${nameOf(actor)}`);
      if (transaction !== undefined || actor === undefined) return plain.executeQuery<Row>(query);
      const write = () => inOwnTransaction(driver, plain, actor, () => plain.executeQuery<Row>(query));
      return write().catch((error) => {
        // It is not prepared a second time, so it is executed again as if it had never been.
        if (isOutdatedPlan(error)) return write();
        throw error;
      });
    },
    streamQuery: (query, chunkSize) => plain.streamQuery(query, chunkSize),
  };
  return connection;
}

async function inOwnTransaction<T>(driver: Driver, connection: DatabaseConnection, actor: Actor, write: () => Promise<T>): Promise<T> {
  try {
    await begin(connection, actor);
    const result = await write();
    await driver.commitTransaction(connection);
    return result;
  } catch (error) {
    // A connection that cannot be rolled back is discarded; the first error is the cause.
    await driver.rollbackTransaction(connection).catch(() => {});
    throw error;
  }
}

/** One message: a text of several statements without parameters. None of them is a query, so that the transaction may still set how it is isolated. */
async function begin(connection: DatabaseConnection, actor: Actor | undefined): Promise<void> {
  const value = actor && escapeLiteral(JSON.stringify(auditedActor(actor)));
  await connection.executeQuery(CompiledQuery.raw(value === undefined ? 'begin' : `begin; set local mintrail.actor = ${value}`));
}

/** Whether a statement may write: what reads alone needs no transaction of its own. */
function writes(text: string): boolean {
  return /^\s*(insert|update|delete|merge)\b/i.test(text) || (/^\s*with\b/i.test(text) && /\b(insert|update|delete|merge)\b/i.test(text));
}

function nameOf(actor: Actor | undefined): string {
  return actor === undefined ? 'the service' : `the ${actor.kind} ${actor.id}`;
}
