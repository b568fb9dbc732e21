import type { LedgerTables } from '../../../schema/tables.ts';

/** The kind of an application (docs/api.md, Applications). */
export type ApplicationKind = LedgerTables['applications']['kind'];

/**
 * Whether an application has to prove itself by its secret where it presents a code or revokes a token (RFC 6749, section 2.1). Servers always do.
 * An authorization-code application does when it was registered so: one that runs in browsers or on phones cannot keep a secret.
 */
export function isConfidential(application: { kind: ApplicationKind; isConfidential: boolean }): boolean {
  return application.kind !== 'authorization_code' || application.isConfidential;
}
