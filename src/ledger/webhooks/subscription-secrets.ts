import type { SealedField, Sealer } from '../../platform/sealing.ts';

/** The secrets of a subscription as they are stored: sealed. */
export interface StoredSecrets {
  secret: string;
  /** The secret before this one, while it is still valid. */
  previous: string | null;
}

/** A subscription's current secret, as it is stored. */
export function sealSecret(sealer: Sealer, subscription: string, secret: string): string {
  return sealer.seal(secret, fieldOf('secret', subscription));
}

/** A secret that a newer one has replaced, as it is stored. */
export function sealPreviousSecret(sealer: Sealer, subscription: string, secret: string): string {
  return sealer.seal(secret, fieldOf('previous_secret', subscription));
}

/** The secrets that sign, the newest first. Throws as the sealer does. */
export function openSecrets(sealer: Sealer, subscription: string, { secret, previous }: StoredSecrets): string[] {
  const current = sealer.unseal(secret, fieldOf('secret', subscription));
  return previous === null ? [current] : [current, sealer.unseal(previous, fieldOf('previous_secret', subscription))];
}

function fieldOf(column: 'secret' | 'previous_secret', row: string): SealedField {
  return { table: 'webhook_subscriptions', column, row };
}
