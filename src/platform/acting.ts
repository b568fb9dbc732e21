import { AsyncLocalStorage } from 'node:async_hooks';

/** The person or program on whose behalf something is written, for the audit log. */
export interface Actor {
  kind: 'application' | 'user' | 'operator';
  /** Id of the application or the user, or the operator's name. */
  id: string;
  /** The application through which a user acts. */
  application?: string;
  correlationId?: string;
}

const nobody = Symbol('nobody');
const acting = new AsyncLocalStorage<Actor | typeof nobody>();
let processActor: Actor | undefined;

/** Runs `work` on behalf of an actor: what it writes is written in transactions that know the actor, and the audit log records it. */
export function actAs<T>(actor: Actor, work: () => T): T {
  return acting.run(actor, work);
}

/** Runs `work` on behalf of nobody, though somebody's request has caused it: such as the end of what has expired, which somebody only looked at. */
export function actAsSystem<T>(work: () => T): T {
  return acting.run(nobody, work);
}

/** Makes everything that this process writes an act of an operator, for the rest of its life. */
export function actAsOperator(name: string, correlationId: string): void {
  processActor = { kind: 'operator', id: name, correlationId };
}

/** On whose behalf the caller writes; undefined where it is the service itself. */
export function currentActor(): Actor | undefined {
  const actor = acting.getStore() ?? processActor;
  return actor === nobody ? undefined : actor;
}

/** The actor as the audit log keeps it. Ids may come from clients, so they are made short, and other characters than those of names are replaced. */
export function auditedActor({ kind, id, application, correlationId }: Actor) {
  return {
    actorKind: kind,
    actor: word(id, 64) ?? '-',
    actorApplication: word(application, 64),
    actorCorrelationId: word(correlationId, 128),
  };
}

function word(text: string | undefined, maxCharacters: number): string | null {
  return text ? text.replaceAll(/[^\w.:@-]/g, '_').slice(0, maxCharacters) : null;
}
