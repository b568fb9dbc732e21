import type { Context } from 'hono';
import { type AttemptSubject, countSignInAttempt, waitText } from '../../ledger/access/sign-in-attempts.ts';
import type { SignInSource } from '../../ledger/access/sessions.ts';
import { browserName } from '../../platform/http/browser-name.ts';
import { networkOfRequest } from '../../platform/http/client-network.ts';
import { RateLimited } from '../../platform/limits/rate-limiter.ts';
import type { ConsoleEnv } from '../console-env.ts';

/** The browser and the network address of a request. */
export function browserSource(context: Context<ConsoleEnv>): SignInSource {
  // Without a socket there is no environment, as in tests.
  const { incoming } = (context.env ?? {}) as Partial<ConsoleEnv['Bindings']>;
  const { trustedProxies } = context.var.settings;
  const remoteAddress = incoming?.socket.remoteAddress;
  const network = networkOfRequest({ remoteAddress, forwardedFor: context.req.header('X-Forwarded-For'), trustedProxies });
  return { browser: browserName(context.req.header('User-Agent') ?? ''), network: network || 'unknown' };
}

/** What attempts to sign in are counted by: the operator from one network, and the network. Not the operator alone: anybody could keep them out. */
export function attemptSubjects(context: Context<ConsoleEnv>, name: string): AttemptSubject[] {
  const { network } = browserSource(context);
  // Somebody may have typed the password where the name belongs.
  const named = context.var.sealer.fingerprint(name.toLowerCase());
  return [
    { kind: 'account', name: `console ${named} ${network}` },
    { kind: 'source', name: `console ${network}` },
  ];
}

/** What codes are counted by that follow a right password: the operator from everywhere. */
export function codeSubject(name: string): AttemptSubject {
  return { kind: 'codes', name: `console ${name}` };
}

/** Counts an attempt before it is made. Throws `rate_limited` when there were too many. */
export async function countAttempt(context: Context<ConsoleEnv>, subjects: readonly AttemptSubject[]): Promise<void> {
  const seconds = await countSignInAttempt(context.var.ledger, subjects);
  if (seconds > 0) throw new RateLimited(waitText(seconds), seconds * 1_000);
}
