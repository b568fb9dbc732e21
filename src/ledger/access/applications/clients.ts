import type { Ledger } from '../../ledger.ts';
import type { Permission } from '../../../schema/column-types.ts';
import { isConfidential } from './application-kinds.ts';

/** An application whose users sign in (docs/api.md, Applications). */
export interface AuthorizationClient {
  id: string;
  name: string;
  redirectUris: string[];
  privacyPolicyUrl: string | null;
  termsUrl: string | null;
  permissions: Permission[];
  /** Whether it proves itself by its secret. */
  isConfidential: boolean;
}

/** An authorization-code application; `undefined` when it is unknown, disabled or of another kind. */
export async function findAuthorizationClient(ledger: Ledger, id: string): Promise<AuthorizationClient | undefined> {
  return ledger
    .selectFrom('applications')
    .where('id', '=', id)
    .where('kind', '=', 'authorization_code')
    .where('disabledAt', 'is', null)
    .select(['id', 'name', 'permissions', 'isConfidential'])
    .select(['redirectUris', 'privacyPolicyUrl', 'termsUrl'])
    .executeTakeFirst();
}

/** An application that is not disabled, by its id, and whether it is confidential; `undefined` when there is none. */
export async function findClient(ledger: Ledger, id: string): Promise<{ id: string; isConfidential: boolean } | undefined> {
  const application = await ledger
    .selectFrom('applications')
    .where('id', '=', id)
    .where('disabledAt', 'is', null)
    .select(['id', 'kind', 'isConfidential'])
    .executeTakeFirst();
  return application && { id, isConfidential: isConfidential(application) };
}

/** Whether an active application sends people to the hosted pages, where they sign up and sign in. */
export async function hasHostedPages(ledger: Ledger): Promise<boolean> {
  const active = ledger.selectFrom('applications').where('disabledAt', 'is', null);
  return (await active.where('kind', '=', 'authorization_code').select('id').limit(1).executeTakeFirst()) !== undefined;
}
