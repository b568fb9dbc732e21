import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase } from 'pg';

/** For whom statements are carried out, for the audit log. */
export interface Actor {
  kind: 'application' | 'user' | 'operator';
  /** Id of the application or the user, or the operator's name. */
  id: string;
  /** The application through which a user acts. */
  application?: string;
  correlationId?: string;
}

const acting = new AsyncLocalStorage<string>();
let ofProcess: string | undefined;

/** Carries out `work` for somebody: every statement in it that writes says so, and the audit log records it. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(comment(actor), work);
}

/** A command acts for its operator from its beginning to its end. */
export function actAsOperator(name: string, correlationId: string): void {
  ofProcess = comment({ kind: 'operator', id: name, correlationId });
}

/**
 * Makes a connection name the actor at the beginning of each statement that writes, in a comment that the audit log's
 * triggers read. The text holds no value of a client: what is not plainly harmless in it is replaced.
 */
export function nameActor(client: ClientBase): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) => {
    const who = acting.getStore() ?? ofProcess;
    return query(who !== undefined && typeof statement === 'string' && writes.test(statement) ? who + statement : statement, ...rest);
  }) as typeof client.query;
}

const writes = /^\s*(insert|update|delete|with|merge)\b/i;

function comment({ kind, id, application, correlationId }: Actor): string {
  return `/*by ${kind} ${word(id, 64)} ${word(application, 64)} ${word(correlationId, 128)}*/ `;
}

function word(text: string | undefined, longest: number): string {
  return text ? text.replaceAll(/[^\w.:@-]/g, '_').slice(0, longest) : '-';
}
