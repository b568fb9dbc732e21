import { registerApplication } from '../../ledger/access/application-registration.ts';
import { approveApplication, disableApplication, listApplications, rotateSecret } from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { cliSettings } from '../cli-settings.ts';
import type { CreateOptions } from './command.ts';
import { renderJson, renderTable } from '../table.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail app create`. */
export async function createApp({ kind, name, owner, redirectUri, privacyPolicy, terms, permission, json }: CreateOptions): Promise<void> {
  const environment = cliSettings().environment;
  const registration = { kind, name, owner, redirectUris: redirectUri, privacyPolicyUrl: privacyPolicy, termsUrl: terms, permission };
  const { id, secret, ...rest } = await withLedger((ledger) => registerApplication(ledger, registration, environment));
  if (json) return console.log(renderJson({ clientId: id, clientSecret: secret, kind, name, environment, ...rest }));
  const lines = [
    `client id      ${id}`,
    `client secret  ${secret}`,
    `owner          ${rest.owner}${rest.isNewOwner ? ' (a new user)' : ''}`,
    `state          ${rest.state}${rest.state === 'waits for approval' ? `: mintrail app approve ${id}` : ''}`,
    '',
    'Keep the secret now: it is not stored and cannot be shown again.',
  ];
  console.log(lines.join('\n'));
}

/** `mintrail app list`. */
export async function listApps(json: boolean): Promise<void> {
  const found = await withLedger(listApplications);
  if (json) return console.log(renderJson(found));
  if (found.length === 0) return console.log('No applications.');
  const rows = found.map(({ id, createdAt, kind, name, owner, state, permissions, redirectUris }) => [
    id,
    `${createdAt.toISOString().slice(0, 19)}Z`,
    kind,
    name,
    owner,
    state,
    kind === 'authorization_code' ? permissions.join(', ') : '',
    redirectUris.join(' '),
  ]);
  console.log(renderTable(['id', 'created', 'kind', 'name', 'owner', 'state', 'permissions', 'redirect URIs'], rows));
}

/** `mintrail app rotate-secret`. */
export async function rotate(id: string, json: boolean): Promise<void> {
  const { secret } = await onApplication(id, rotateSecret);
  if (json) console.log(renderJson({ clientId: id, clientSecret: secret }));
  else
    console.log(
      `client secret  ${secret}\n\nThe old secret and the tokens got by it have ended. Keep the new one now: it cannot be shown again.`,
    );
}

/** `mintrail app disable`. */
export async function disable(id: string, json: boolean): Promise<void> {
  const changed = await onApplication(id, disableApplication);
  if (json) console.log(renderJson({ clientId: id, state: 'disabled', changed }));
  else console.log(changed ? `${id} is disabled, and its tokens have ended.` : `${id} was disabled before.`);
}

/** `mintrail app approve`. */
export async function approve(id: string, json: boolean): Promise<void> {
  const changed = await onApplication(id, approveApplication);
  if (json) console.log(renderJson({ clientId: id, state: 'approved', changed }));
  else console.log(changed ? `${id} is approved: its credentials are valid.` : `${id} was approved before.`);
}

function onApplication<T>(id: string, work: (ledger: Ledger, id: string) => Promise<T>): Promise<T> {
  if (/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(id)) return withLedger((ledger) => work(ledger, id.toLowerCase()));
  throw new StopError({ code: 'unknown_application', message: `${id} is no id of an application; \`mintrail app list\` lists them` });
}
