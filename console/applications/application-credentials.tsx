import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Copyable } from '../design/hash.tsx';

/** What an action answers that makes the secret of an application; the secret is null for one that cannot keep any. */
export interface ApplicationCredentials {
  id: string;
  secret: string | null;
  /** Of a rotation: until when a secret that has ended with it would have been valid. */
  endedEarlySecretUntil?: string | null;
}

/** Whether what an action answered are credentials. */
export function isCredentials(result: unknown): result is ApplicationCredentials {
  return typeof result === 'object' && result !== null && 'id' in result && 'secret' in result;
}

/** The client id and the secret, which is shown only now, to whoever carried the action out. */
export function ApplicationCredentials({ id, secret, endedEarlySecretUntil: until = null }: ApplicationCredentials) {
  return (
    <FieldList>
      <FieldRow name="Client id">
        <Copyable value={id} />
      </FieldRow>
      {secret !== null ? (
        <FieldRow name="Secret, shown only now">
          <Copyable value={secret} />
        </FieldRow>
      ) : (
        <FieldRow name="Secret">none: it proves itself by PKCE</FieldRow>
      )}
      {until !== null && <FieldRow name="Ended now">the secret before the old one, which would have been valid until {until}</FieldRow>}
    </FieldList>
  );
}
