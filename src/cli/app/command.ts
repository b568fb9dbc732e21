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
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';
import { registeredText, rotatedText } from './credentials-text.ts';

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
