import { Form } from '@base-ui/react/form';
import { useMutation } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useEffect, useId, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { type ActionName, type ActionOutcome, type ActionPreview, carryOut, preview } from '../api/actions.ts';
import { ApiError } from '../api/api-error.ts';
import { refetchAll } from '../api/query-client.ts';
import { useSession } from '../api/session-context.ts';
import styles from './action-button.module.css';
import { Banner } from './banner.tsx';
import { Button, type ButtonTone } from './button.tsx';
import { Dialog, DialogActions, DialogClose } from './dialog.tsx';
import { TextAreaField } from './form-field.tsx';

/** An action of the registry, and how it is asked for. */
export interface ActionButtonProps {
  /** The action's name, such as `orders.give-back`. */
  action: ActionName;
  /** What the button says: a verb, such as "Give back". */
  label: string;
  /** The heading of the dialog; the label unless it says more. */
  title?: string;
  /** What an operator should know before filling in the dialog. What will happen is said by the server afterwards. */
  lead?: ReactNode;
  /** What the action is asked with, besides the form's fields, which win. */
  input?: Record<string, unknown>;
  /** Makes the input of the form's fields, where they are more than texts. */
  readForm?: (form: FormData) => Record<string, unknown>;
  /** Whether a reason is asked for; sent as `reason`. */
  reason?: boolean;
  /** The dialog's further fields; the input's names are theirs. */
  children?: ReactNode;
  /** Whether the fields need the room of a wide dialog. */
  wide?: boolean;
  tone?: ButtonTone;
  /** What an action answered with, where it must be seen, such as a secret. */
  renderResult?: (result: unknown) => ReactNode;
  onDone?: (result: unknown) => void;
}

/**
 * A button for an action, in three steps: the operator fills in the reason, reads what will happen and whether a second person is needed,
 * and sees what came of it. It is not there for those whose role may not.
 */
export function ActionButton(props: ActionButtonProps) {
  const owner = useId();
  const { actions } = useSession();
  // The dialog shows what the page that opened it says now, for as long as that is there.
  useLayoutEffect(() => {
    if (opened?.owner === owner) setOpened({ owner, props });
  });
  if (!actions.includes(props.action)) return null;
  return (
    <Button tone={props.tone === 'danger' ? 'caution' : (props.tone ?? 'plain')} onClick={() => setOpened({ owner, props })}>
      {props.label}
    </Button>
  );
}

/** The action whose dialog is open. */
interface OpenedAction {
  owner: string;
  props: ActionButtonProps;
}

let opened: OpenedAction | undefined;
const listeners = new Set<() => void>();

function setOpened(next: OpenedAction | undefined): void {
  opened = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * The dialog of the action that is open, beside all pages: what an action is done to often goes from its page at once, with its button, and the operator
 * still has to see what came of it. Going to another page closes it.
 */
export function OpenedActionDialog() {
  const current = useSyncExternalStore(subscribe, () => opened);
  const pathname = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  useEffect(() => () => setOpened(undefined), [pathname]);
  return current && <ActionDialog key={current.owner} {...current.props} onClose={() => setOpened(undefined)} />;
}

function ActionDialog({ onClose, ...props }: ActionButtonProps & { onClose: () => void }) {
  const { action, label, title = label, onDone } = props;
  const [input, setInput] = useState<Record<string, unknown>>({});
  const review = useMutation({ mutationFn: async (body: Record<string, unknown>) => preview(action, body) });
  const act = useMutation({
    mutationFn: async () => carryOut(action, input, review.data?.digest),
    onSuccess: async (outcome) => {
      await refetchAll();
      if (outcome.state === 'done') onDone?.(outcome.result);
    },
  });
  const ask = (body: Record<string, unknown>) => {
    setInput(body);
    act.reset();
    review.mutate(body);
  };
  return (
    <Dialog open onOpenChange={onClose} title={title} wide={props.wide ?? false}>
      {act.data && <Outcome outcome={act.data} label={label} renderResult={props.renderResult} />}
      {/* Kept while it is not seen: going back from the review loses nothing. */}
      <div className={styles.step} hidden={Boolean(review.data)}>
        <ActionForm {...props} error={review.error} isPending={review.isPending} onSend={ask} />
      </div>
      {review.data && !act.data && (
        <Review
          {...props}
          preview={review.data}
          error={act.error}
          isPending={act.isPending}
          onBack={() => review.reset()}
          onConfirm={() => act.mutate()}
        />
      )}
    </Dialog>
  );
}

function ActionForm({
  lead,
  input,
  readForm = textsOf,
  reason = true,
  children,
  error,
  isPending,
  onSend,
}: ActionButtonProps & { error: Error | null; isPending: boolean; onSend: (input: Record<string, unknown>) => void }) {
  const send = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSend({ ...input, ...readForm(new FormData(event.currentTarget)) });
  };
  const fieldErrors = error instanceof ApiError ? error.fields : {};
  return (
    <Form className={styles.step} errors={fieldErrors} onSubmit={send}>
      {lead && <div>{lead}</div>}
      {children}
      {reason && <TextAreaField name="reason" label="Reason" hint="It stays in the audit log." required autoComplete="off" />}
      {error && <Banner tone="negative" title={messageOf(error)} />}
      <DialogActions>
        <DialogClose>Cancel</DialogClose>
        <Button type="submit" tone="primary" disabled={isPending}>
          {isPending ? 'Checking…' : 'Continue'}
        </Button>
      </DialogActions>
    </Form>
  );
}

function Review({
  label,
  tone,
  preview: { description, needsSecondPerson },
  error,
  isPending,
  onBack,
  onConfirm,
}: ActionButtonProps & { preview: ActionPreview; error: Error | null; isPending: boolean; onBack: () => void; onConfirm: () => void }) {
  return (
    <div className={styles.step}>
      <p className={styles.sentence}>{description}</p>
      {needsSecondPerson && (
        <Banner tone="info" title="A second person has to approve this.">
          It waits under Approvals until another operator has looked at it.
        </Banner>
      )}
      {error && <Banner tone="negative" title={messageOf(error)} />}
      <DialogActions>
        <Button onClick={onBack}>Back</Button>
        <Button tone={tone === 'danger' ? 'danger' : 'primary'} disabled={isPending} onClick={onConfirm} autoFocus>
          {isPending ? 'Sending…' : needsSecondPerson ? 'Ask for approval' : label}
        </Button>
      </DialogActions>
    </div>
  );
}

function Outcome({
  outcome,
  label,
  renderResult,
}: {
  outcome: ActionOutcome;
  label: string;
  renderResult: ((result: unknown) => ReactNode) | undefined;
}) {
  return (
    <div className={styles.step}>
      {outcome.state === 'done' ? (
        <>
          <Banner tone="positive" title={`${label}: done.`} />
          {renderResult?.(outcome.result)}
        </>
      ) : (
        <Banner tone="info" title="It waits for a second person.">
          It is carried out when another operator approves it. <Link to="/approvals">Go to Approvals</Link>
        </Banner>
      )}
      <DialogActions>
        <DialogClose>Close</DialogClose>
      </DialogActions>
    </div>
  );
}

/** The texts of a form's fields by their names; empty ones are left out. */
function textsOf(form: FormData): Record<string, unknown> {
  return Object.fromEntries([...form].filter(([, value]) => typeof value === 'string' && value !== ''));
}

/** Errors of fields stand beside their fields; those of no field that is shown are named here. */
function messageOf(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const fields = Object.entries(error.fields).map(([name, text]) => `${name}: ${text}`);
  return fields.length === 0 ? error.message : fields.join(' · ');
}
