import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Copyable } from '../design/hash.tsx';

/** What an action answers that makes the secret of an application; the secret is null for one that cannot keep any. */
export interface ApplicationCredentials {
  id: string;
  secret: string | null;
}

/** Whether what an action answered are credentials. */
export function isCredentials(result: unknown): result is ApplicationCredentials {
  return typeof result === 'object' && result !== null && 'id' in result && 'secret' in result;
}

/** The client id and the secret, which is shown only now, to whoever carried the action out. */
export function ApplicationCredentials({ id, secret }: ApplicationCredentials) {
  return (
    <FieldList>
      <FieldRow name="Client id">
        <Copyable value={id} />
      </FieldRow>
      <FieldRow name="Secret, shown only now">{secret !== null && <Copyable value={secret} />}</FieldRow>
    </FieldList>
  );
}
