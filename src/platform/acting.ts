import { AsyncLocalStorage } from 'node:async_hooks';
import type { ClientBase } from 'pg';

/** The person or program on whose behalf statements are executed, for the audit log. */
export interface Actor {
  kind: 'application' | 'user' | 'operator';
  /** Id of the application or the user, or the operator's name. */
  id: string;
  /** The application through which a user acts. */
  application?: string;
  correlationId?: string;
}

/** The beginning of the comment that names the actor of a statement. */
export const actorCommentStart = '/*by ';

const acting = new AsyncLocalStorage<string>();
let processActor: string | undefined;

/** Runs `work` on behalf of an actor: each of its statements that write names the actor, and the audit log records it. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(comment(actor), work);
}

/** Runs `work` on behalf of nobody, though somebody's request has caused it: such as the end of what has expired, which somebody only looked at. */
export function actAsSystem<T>(work: () => T): T {
  return acting.run('', work);
}

/** Makes everything that this process writes an act of an operator, for the rest of its life. */
export function actAsOperator(name: string, correlationId: string): void {
  processActor = comment({ kind: 'operator', id: name, correlationId });
}

/**
 * Makes a connection put a comment that names the actor before each statement that writes. The audit log's triggers read it. Characters that
 * could end the comment are replaced, because ids may come from clients.
 */
export function nameActor(client: ClientBase): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  client.query = ((statement: unknown, ...rest: unknown[]) => {
    const actorComment = acting.getStore() ?? processActor;
    return query(
      actorComment !== undefined && typeof statement === 'string' && writes.test(statement) ? actorComment + statement : statement,
      ...rest,
    );
  }) as typeof client.query;
}

const writes = /^\s*(insert|update|delete|with|merge)\b/i;

/** The actor as the audit log keeps it, for a statement that writes its own entries. */
export function auditedActor({ kind, id, application, correlationId }: Actor) {
  return {
    actorKind: kind,
    actor: word(id, 64),
    actorApplication: application === undefined ? null : word(application, 64),
    actorCorrelationId: correlationId === undefined ? null : word(correlationId, 128),
  };
}

function comment({ kind, id, application, correlationId }: Actor): string {
  return `${actorCommentStart}${kind} ${word(id, 64)} ${word(application, 64)} ${word(correlationId, 128)}*/ `;
}

function word(text: string | undefined, maxCharacters: number): string {
  return text ? text.replaceAll(/[^\w.:@-]/g, '_').slice(0, maxCharacters) : '-';
}
