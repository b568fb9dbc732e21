import { Copyable } from '../design/hash.tsx';

/** What an action that invites somebody answers. */
export interface InvitationResult {
  name: string;
  invitation: string;
  /** Who makes the code that the link takes besides; null when the link is enough. */
  codeMaker: string | null;
}

/** Whether what an action answered is an invitation. */
export function isInvitationResult(result: unknown): result is InvitationResult {
  return typeof result === 'object' && result !== null && 'invitation' in result && 'codeMaker' in result;
}

/** The link of an invitation, which is shown only now, to whoever carried the action out. */
export function InvitationLink({ name, invitation, codeMaker }: InvitationResult) {
  return (
    <div>
      <p>
        Give this link to {name} alone. It is shown only now.
        {codeMaker !== null && ` ${codeMaker} gives ${name} the code that it takes besides: never you.`}
      </p>
      <Copyable value={invitation} />
    </div>
  );
}
