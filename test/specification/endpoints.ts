import { addressesAndBalances } from './addresses-and-balances.ts';
import { countriesAndProfiles } from './countries-and-profiles.ts';
import { ibans } from './ibans.ts';
import { orders } from './orders.ts';
import { signaturesFilesAndTokens } from './signatures-files-and-tokens.ts';
import { startAndAuthorization } from './start-and-authorization.ts';
import { swap } from './swap.ts';
import { webhookSubscriptions } from './webhook-subscriptions.ts';
import type { Endpoint } from './documented-rows.ts';

/** The endpoints of docs/api.md that other services of this API family have too. */
export const endpoints: Record<string, Endpoint[]> = {
  'Start and authorization': startAndAuthorization,
  'Webhook subscriptions': webhookSubscriptions,
  'Countries and profiles': countriesAndProfiles,
  'Addresses and balances': addressesAndBalances,
  IBANs: ibans,
  Orders: orders,
  'Signatures, files and tokens': signaturesFilesAndTokens,
  Swap: swap,
};
