import { createContext, use } from 'react';
import type { Role, Session } from './session.ts';

const SessionContext = createContext<Session | undefined>(undefined);

/** Hands the session to all pages of somebody who is signed in. */
export const SessionProvider = SessionContext.Provider;

/** The operator who is signed in. Throws outside of the pages that need a session. */
export function useSession(): Session {
  const session = use(SessionContext);
  if (!session) throw new Error('This page needs a session');
  return session;
}

/** Whether the operator has one of these roles. An administrator may whatever another role may. */
export function hasRole(session: Session, roles: readonly Role[]): boolean {
  return session.role === 'administrator' || roles.includes(session.role);
}
