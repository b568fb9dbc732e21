import type { Command } from 'commander';
import { applications } from '../../operations/applications/application-view.ts';
import {
  approveApplicationVerb,
  changeOriginsVerb,
  disableApplicationVerb,
  registerApplicationVerb,
  rotateSecretVerb,
} from '../../operations/applications/applications.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime } from '../output.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';

/** `mintrail app`: the applications of this environment (docs/api.md, Applications). */
export function addAppCommands(program: Command): void {
  const app = program.command('app').description('register applications, which get access tokens, and disable them');

  addVerb(app, registerApplicationVerb, {
    text: registeredText,
    json: ({ id, secret, kind, name, owner, isNewOwner, state }) => {
      const credentials = { clientId: id, ...(secret !== null && { clientSecret: secret }) };
      return { ...credentials, kind, name, environment: cliSettings().environment, owner, isNewOwner, state };
    },
  });

  addView(app, applications, { isDefault: true });

  addVerb(app, changeOriginsVerb, {
    text: ({ origins }) => (origins.length === 0 ? 'No origins.' : origins.join('\n')),
    json: ({ id, origins }) => ({ clientId: id, origins }),
  });
  addVerb(app, rotateSecretVerb, {
    text: rotatedText,
    json: ({ id, secret, endedEarlySecretUntil }) => ({ clientId: id, clientSecret: secret, endedEarlySecretUntil }),
  });
  addVerb(app, disableApplicationVerb, {
    text: ({ id, changed }) => (changed ? `${id} is disabled, and its tokens have ended.` : `${id} was disabled already.`),
    json: ({ id, changed }) => ({ clientId: id, state: 'disabled', changed }),
  });
  addVerb(app, approveApplicationVerb, {
    text: ({ id }) => `${id} is approved: its credentials are valid.`,
    json: ({ id }) => ({ clientId: id, state: 'approved', changed: true }),
  });
}

/** The credentials of a new application, and what they wait for. */
function registeredText(registered: Awaited<ReturnType<typeof registerApplicationVerb.carryOut>>): string {
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
function rotatedText(rotated: Awaited<ReturnType<typeof rotateSecretVerb.carryOut>>): string {
  const { secret, endedEarlySecretUntil: until } = rotated;
  const early = until === null ? '' : ` The secret before it has ended now; it would have been valid until ${formatTime(new Date(until))}.`;
  return `client secret  ${secret}\n\n${endOf(rotated)}${early} Store the new secret now: it cannot be shown again.`;
}

function endOf({ stolenSince, atOnce }: { stolenSince: string | null; atOnce: boolean }): string {
  if (stolenSince !== null)
    return `The old secret and all tokens have ended, and what the application has linked since ${formatTime(new Date(stolenSince))}, or by tokens that were valid then, signs nobody in.`;
  return atOnce ? 'The old secret and its tokens have ended.' : 'The old secret stays valid for 24 hours.';
}
