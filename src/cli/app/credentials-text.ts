import type { registerApplicationVerb, rotateSecretVerb } from '../../operations/applications/applications.ts';
import { formatTime } from '../output.ts';

/** The credentials of a new application, and what they wait for. */
export function registeredText(registered: Awaited<ReturnType<typeof registerApplicationVerb.carryOut>>): string {
  const { id, secret, owner, isNewOwner, state, lacksPages } = registered;
  const lines = [
    `client id      ${id}`,
    `client secret  ${secret ?? 'none: it proves itself by PKCE'}`,
    `owner          ${owner}${isNewOwner ? ' (a new user)' : ''}`,
    `state          ${state}${state === 'waits for approval' ? `: mintrail app approve ${id}` : ''}`,
    ...(lacksPages ? ['wallets        cannot sign users in: that needs --privacy-policy and --terms'] : []),
    ...(secret === null ? [] : ['', 'Store the secret now: it cannot be shown again.']),
  ];
  return lines.join('\n');
}

/** A new secret, and what becomes of the old one. */
export function rotatedText(rotated: Awaited<ReturnType<typeof rotateSecretVerb.carryOut>>): string {
  const { secret, endedEarlySecretUntil: until } = rotated;
  const early = until === null ? '' : ` The secret before it has ended now; it would have been valid until ${formatTime(new Date(until))}.`;
  return `client secret  ${secret}\n\n${endOf(rotated)}${early} Store the new secret now: it cannot be shown again.`;
}

function endOf({ stolenSince, atOnce }: { stolenSince: string | null; atOnce: boolean }): string {
  if (stolenSince !== null)
    return `The old secret and all tokens have ended, and what the application has linked since ${formatTime(new Date(stolenSince))}, or by tokens that were valid then, signs nobody in.`;
  return atOnce ? 'The old secret and its tokens have ended.' : 'The old secret stays valid for 24 hours.';
}
