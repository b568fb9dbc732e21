import { registerApplication } from '../../ledger/access/application-registration.ts';
import { changeOrigins, type OriginChanges } from '../../ledger/access/application-origins.ts';
import {
  approveApplication,
  disableApplication,
  isConfidential as provesItselfBySecret,
  listApplications,
  type Rotation,
  rotateSecret,
} from '../../ledger/access/applications.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StopError } from '../../platform/errors.ts';
import { isUuid } from '../../platform/uuid.ts';
import { cliSettings } from '../cli-settings.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** Options of `mintrail app create`. */
export interface CreateOptions {
  kind: 'private' | 'whitelabel' | 'authorization_code';
  name: string;
  owner?: string;
  redirectUri: string[];
  privacyPolicy?: string;
  terms?: string;
  permission: 'read' | 'write';
  readOnly?: true;
  confidential?: true;
  refreshNeedsSecret?: true;
  origin: string[];
  json?: true;
}

/** `mintrail app create`. */
export async function createApp({
  kind,
  name,
  owner,
  redirectUri,
  privacyPolicy,
  terms,
  permission,
  ...more
}: CreateOptions): Promise<void> {
  const { readOnly: isReadOnly, confidential: isConfidential, refreshNeedsSecret, origin: origins, json } = more;
  const environment = cliSettings().environment;
  const urls = { redirectUris: redirectUri, privacyPolicyUrl: privacyPolicy, termsUrl: terms };
  const registration = { kind, name, owner, ...urls, permission, isReadOnly, origins, isConfidential, refreshNeedsSecret };
  const { id, secret, ...rest } = await withLedger((ledger) => registerApplication(ledger, registration, environment));
  const hasSecret = provesItselfBySecret({ kind, isConfidential: isConfidential === true });
  if (json) return print(renderJson({ clientId: id, ...(hasSecret && { clientSecret: secret }), kind, name, environment, ...rest }));
  const lines = [
    `client id      ${id}`,
    `client secret  ${hasSecret ? secret : 'none: it proves itself by PKCE'}`,
    `owner          ${rest.owner}${rest.isNewOwner ? ' (a new user)' : ''}`,
    `state          ${rest.state}${rest.state === 'waits for approval' ? `: mintrail app approve ${id}` : ''}`,
    ...(kind === 'authorization_code' && (privacyPolicy === undefined || terms === undefined)
      ? ['wallets        cannot sign users in: that needs --privacy-policy and --terms']
      : []),
    ...(hasSecret ? ['', 'Store the secret now: it cannot be shown again.'] : []),
  ];
  print(lines.join('\n'));
}

/** `mintrail app list`. */
export async function listApps(json: boolean): Promise<void> {
  const applications = await withLedger(listApplications);
  if (json) return print(renderJson(applications));
  if (applications.length === 0) return print('No applications.');
  const rows = applications.map(({ id, createdAt, kind, name, owner, state, permissions, redirectUris, origins, isConfidential }) => [
    id,
    formatTime(createdAt),
    kind === 'authorization_code' && isConfidential ? `${kind} (confidential)` : kind,
    name,
    owner,
    state,
    permissions.join(', '),
    redirectUris.join(' '),
    origins.join(' '),
  ]);
  print(renderTable(['client id', 'created', 'kind', 'name', 'owner', 'state', 'permissions', 'redirect URIs', 'origins'], rows));
}

/** Options of `mintrail app rotate-secret`. */
export interface RotateOptions {
  stolenSince?: Date;
  atOnce?: true;
  json?: true;
}

/** `mintrail app rotate-secret`. Throws `unknown_application`, `application_disabled`, `invalid_application`. */
export async function rotate(id: string, { stolenSince, atOnce, json }: RotateOptions): Promise<void> {
  const rotated = await onApplication(id, (ledger, application) => rotateSecret(ledger, application, { stolenSince, atOnce }));
  const { secret, endedEarlySecretUntil: until } = rotated;
  if (json) return print(renderJson({ clientId: id, clientSecret: secret, endedEarlySecretUntil: until }));
  const early = until === null ? '' : ` The secret before it has ended now; it would have been valid until ${formatTime(new Date(until))}.`;
  print(`client secret  ${secret}\n\n${endOf({ stolenSince, atOnce })}${early} Store the new secret now: it cannot be shown again.`);
}

function endOf({ stolenSince, atOnce }: Rotation): string {
  if (stolenSince !== undefined)
    return `The old secret and all tokens have ended, and what the application has linked since ${formatTime(stolenSince)}, or by tokens that were valid then, signs nobody in.`;
  return atOnce ? 'The old secret and its tokens have ended.' : 'The old secret stays valid for 24 hours.';
}

/** `mintrail app disable`. Throws `unknown_application`. */
export async function disable(id: string, json: boolean): Promise<void> {
  const changed = await onApplication(id, disableApplication);
  if (json) print(renderJson({ clientId: id, state: 'disabled', changed }));
  else print(changed ? `${id} is disabled, and its tokens have ended.` : `${id} was disabled already.`);
}

/** `mintrail app approve`. Throws `unknown_application`. */
export async function approve(id: string, json: boolean): Promise<void> {
  const changed = await onApplication(id, approveApplication);
  if (json) print(renderJson({ clientId: id, state: 'approved', changed }));
  else print(changed ? `${id} is approved: its credentials are valid.` : `${id} was approved already.`);
}

/** `mintrail app origins`. Throws `unknown_application`, `invalid_application`. */
export async function origins(id: string, { json, ...changes }: OriginChanges & { json?: true }): Promise<void> {
  const { environment } = cliSettings();
  const registered = await onApplication(id, (ledger, application) => changeOrigins(ledger, application, changes, environment));
  if (json) print(renderJson({ clientId: id, origins: registered }));
  else print(registered.length === 0 ? 'No origins.' : registered.join('\n'));
}

function onApplication<T>(id: string, work: (ledger: Ledger, id: string) => Promise<T>): Promise<T> {
  if (isUuid(id)) return withLedger((ledger) => work(ledger, id.toLowerCase()));
  throw new StopError({ code: 'unknown_application', message: `There is no application ${id}; \`mintrail app list\` lists them` });
}
