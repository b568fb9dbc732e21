import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApplicationCredentials, isCredentials } from '../applications/application-credentials.tsx';
import { api } from '../api/client.ts';
import { refetchAll } from '../api/query-client.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../design/dialog.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { TextAreaField } from '../design/form-field.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { InvitationLink, isInvitationResult } from '../operators/invitation-result.tsx';
import { ActionResult } from './action-result.tsx';
import styles from './approval-dialog.module.css';
import type { Approval } from './queries.ts';

type Decision = 'approve' | 'refuse' | 'withdraw' | 'carry-out';

const sentences: Record<Decision, string> = {
  approve: 'It is approved and done.',
  refuse: 'It is refused.',
  withdraw: 'It is withdrawn.',
  'carry-out': 'It is done.',
};

/** Everything about an approval, and the decision on it. What was read is what is decided on: its digest goes with the decision. */
export function ApprovalDialog({ read, onClose }: { read: Approval; onClose: () => void }) {
  const [note, setNote] = useState('');
  const decision = useMutation({ mutationFn: async (choice: Decision) => decide(read, choice, note), onSettled: refetchAll });
  const isOpen = !decision.isSuccess;
  const mayDecide = isOpen && read.mayDecide;
  const mayWithdraw = isOpen && read.mayWithdraw;
  const mayCarryOut = isOpen && read.mayCarryOut;
  const send = (choice: Decision) => () => decision.mutate(choice);
  return (
    <Dialog open onOpenChange={onClose} title={titleOf(read.action)}>
      <p className={styles.sentence}>{read.description}</p>
      <FieldList>
        <FieldRow name="State">{isOpen ? <ApprovalState approval={read} /> : <DecidedState decision={decision.variables} />}</FieldRow>
        <FieldRow name="Asked for by">{read.requestedBy}</FieldRow>
        <FieldRow name="Asked for">
          <Time at={read.requestedAt} show="both" />
        </FieldRow>
        {isOpen && read.state === 'waiting' && (
          <FieldRow name="Expires">
            <Time at={read.expiresAt} show="both" />
          </FieldRow>
        )}
        <FieldRow name="Decided by">{read.decidedBy}</FieldRow>
        <FieldRow name="Note">{read.note}</FieldRow>
        <FieldRow name="Action">
          <code>{read.action}</code>
        </FieldRow>
        <FieldRow name="Input">
          <pre className={styles.input}>{read.inputText}</pre>
        </FieldRow>
      </FieldList>
      {read.errorMessage !== null && <Banner tone="negative" title={read.errorMessage} />}
      {mayCarryOut && (
        <Banner tone="attention" title="It is approved, and carrying it out was interrupted.">
          Nothing of it was done. It can be carried out again.
        </Banner>
      )}
      {mayDecide && (
        <TextAreaField name="note" label="Note" rows={2} value={note} onChange={(event) => setNote(event.target.value)} maxLength={500} />
      )}
      {decision.error && <Banner tone="negative" title={decision.error.message} />}
      {decision.isSuccess && <Outcome sentence={sentences[decision.variables]} result={decision.data} />}
      <DialogActions>
        <DialogClose>Close</DialogClose>
        {mayWithdraw && (
          <Button onClick={send('withdraw')} disabled={decision.isPending}>
            Withdraw
          </Button>
        )}
        {mayDecide && (
          <>
            <Button tone="danger" onClick={send('refuse')} disabled={decision.isPending}>
              Refuse
            </Button>
            <Button tone="primary" onClick={send('approve')} disabled={decision.isPending}>
              Approve
            </Button>
          </>
        )}
        {mayCarryOut && (
          <Button tone="primary" onClick={send('carry-out')} disabled={decision.isPending}>
            Carry out again
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

/** What carrying out answered, such as an invitation, may be seen only now. */
function Outcome({ sentence, result }: { sentence: string; result: unknown }) {
  return (
    <Banner tone="positive" title={sentence}>
      {isInvitationResult(result) && <InvitationLink {...result} />}
      {isCredentials(result) && <ApplicationCredentials {...result} />}
      {!isInvitationResult(result) && !isCredentials(result) && <ActionResult result={result} />}
    </Banner>
  );
}

const decided = {
  approve: { state: 'done', tone: 'positive' },
  refuse: { state: 'refused', tone: 'negative' },
  withdraw: { state: 'withdrawn', tone: 'neutral' },
  'carry-out': { state: 'done', tone: 'positive' },
} as const;

/** The state after the decision that was taken here. */
function DecidedState({ decision }: { decision: Decision }) {
  return <StateBadge {...decided[decision]} />;
}

/** The name of an action in words: `bank.reject-payment` is "Bank: reject payment". */
function titleOf(action: string): string {
  const [room = '', verb = ''] = action.split('.');
  return `${room.slice(0, 1).toUpperCase()}${room.slice(1)}: ${verb.replaceAll('-', ' ')}`;
}

const asJson = { headers: { 'content-type': 'application/json' } };

/** Returns what carrying out answered. Throws ApiError. */
async function decide({ id, digest }: Approval, decision: Decision, note: string): Promise<unknown> {
  const param = { id };
  const json = { digest, ...(note.trim() !== '' && { note }) };
  const of = api.approvals[':id'];
  if (decision === 'approve') return (await (await of.approve.$post({ param, json })).json()).result;
  if (decision === 'refuse') return (await of.refuse.$post({ param, json })).json().then(() => null);
  if (decision === 'withdraw') return (await of.withdraw.$post({ param }, asJson)).json().then(() => null);
  return (await (await of['carry-out'].$post({ param }, asJson)).json()).result;
}

/** The state of an approval; an approved one that was interrupted needs somebody. */
export function ApprovalState({ approval: { state, isInterrupted } }: { approval: Approval }) {
  if (isInterrupted) return <StateBadge state="interrupted" tone="attention" />;
  return <StateBadge state={state} tone={state === 'waiting' ? 'attention' : state === 'approved' ? 'progress' : toneOfEnd(state)} />;
}

function toneOfEnd(state: Approval['state']): 'positive' | 'negative' | 'neutral' {
  if (state === 'done') return 'positive';
  return state === 'failed' || state === 'refused' ? 'negative' : 'neutral';
}
