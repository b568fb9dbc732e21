import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { post } from '../api/request.ts';
import { queryClient } from '../api/query-client.ts';
import { askPasskey, createPasskey } from '../api/sign-in.ts';

/** What the operator signs in with, and whether they have just proven it. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async ({ signal }) => (await api.account.$get({}, { init: { signal } })).json(),
});

/** Reads what the operator signs in with again, after a change or a proof that has run out. */
export async function rereadAccount(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: accountQuery.queryKey });
}

/** Proves by password and code. Throws ApiError. */
export async function proveByPassword(input: { password: string; code: string }): Promise<void> {
  await post('/api/account/proof/password', input);
}

/** Proves by a passkey. Throws ApiError, and a DOMException when the operator stops. */
export async function proveByPasskey(): Promise<void> {
  await post('/api/account/proof/passkey', await askPasskey(await post('/api/account/proof/passkey/options', {})));
}

/** Sets another password. Throws ApiError. */
export async function changePassword(input: { password: string }): Promise<void> {
  await post('/api/account/password', input);
}

/** A key for a new authenticator app. */
export interface OfferedSeed {
  seed: string;
  uri: string;
}

/** Asks for a key for a new app. Throws ApiError. */
export async function offerSeed(): Promise<OfferedSeed> {
  return post('/api/account/app/seed', {});
}

/** Replaces the app by the one that shows this code. Throws ApiError. */
export async function replaceApp(input: { code: string }): Promise<void> {
  await post('/api/account/app', input);
}

/** Adds a passkey of this device. Throws ApiError, and a DOMException when the operator stops. */
export async function addPasskey(): Promise<void> {
  await post('/api/account/passkeys', await createPasskey(await post('/api/account/passkeys/options', {})));
}

/** Removes a passkey. Throws ApiError. */
export async function removePasskey(id: string): Promise<void> {
  await post(`/api/account/passkeys/${id}/remove`, {});
}

/** Makes new recovery codes in place of the old ones. Throws ApiError. */
export async function renewRecoveryCodes(): Promise<string[]> {
  return (await post<{ recoveryCodes: string[] }>('/api/account/recovery-codes', {})).recoveryCodes;
}
