import type { Ledger } from '../../ledger.ts';
import type { Permission } from '../../../schema/column-types.ts';

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
