import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Address, Copyable, Hash, Iban } from '../design/hash.tsx';
import { Money } from '../design/money.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Day, formatDuration, Time } from '../design/time.tsx';
import { Attempts } from './attempts.tsx';
import styles from './order-path.module.css';
import { readAwaited } from './order-waits.tsx';
import { type PathStep, pathSteps } from './path-steps.ts';
import type { OrderView } from './queries.ts';

/**
 * The whole way of an order's money as one picture: a line with a station for each step, from top to bottom, and the time between them. It is a list for
 * those who cannot see the line.
 */
export function OrderPath({ view }: { view: OrderView }) {
  const steps = pathSteps(view);
  return (
    <ol className={styles.path}>
      {steps.map((step, index) => (
        <li key={step.key} className={styles.step} data-tone={step.tone} data-depth={step.depth}>
          <span className={styles.rail} aria-hidden="true">
            <span className={styles.station} />
          </span>
          <div className={styles.time}>
            {step.at && <Time at={step.at} show="absolute" />}
            <Elapsed since={timeBefore(steps, index)} at={step.at} />
          </div>
          <div className={styles.content}>
            <Station step={step} view={view} />
          </div>
        </li>
      ))}
    </ol>
  );
}

/** How long after the step before it came. */
function Elapsed({ since, at }: { since: string | undefined; at: string | null }) {
  if (since === undefined || at === null) return null;
  const durationMs = Date.parse(at) - Date.parse(since);
  if (durationMs < 0) return null;
  return <span className={styles.elapsed}>{durationMs < 1000 ? 'at once' : `${formatDuration(durationMs)} later`}</span>;
}

/** The time of the nearest step before that has one. */
function timeBefore(steps: readonly PathStep[], index: number): string | undefined {
  return steps.slice(0, index).findLast(({ at }) => at !== null)?.at ?? undefined;
}

function Station({ step, view: { order } }: { step: PathStep; view: OrderView }): ReactNode {
  switch (step.kind) {
    case 'related':
      return (
        <p>
          {step.text}{' '}
          <Link to="/orders/$id" params={{ id: step.order }}>
            {step.order}
          </Link>
        </p>
      );
    case 'credit':
      return <Credit credit={step.credit} />;
    case 'order':
      return (
        <>
          <Heading name="Order">
            <Money amount={order.amount} currency={order.currency} />
          </Heading>
          <p>
            {order.kind === 'issue' ? 'Tokens for' : 'Tokens of'} <Address value={order.address} chain={order.chain} /> on {order.chain}
          </p>
        </>
      );
    case 'leg':
      return <LegStation step={step} currency={order.currency} />;
    case 'transaction':
      return <TransactionStation step={step} />;
    case 'log':
      return (
        <>
          <Heading name="Log of the token contract">
            {step.log.refused === null ? 'carried out' : `refused: ${step.log.refused}`} in block {step.log.blockNumber}
          </Heading>
          <Hash value={step.log.txHash} chain={step.chain ?? undefined} />
        </>
      );
    case 'payment':
      return <PaymentStation payment={step.payment} />;
    case 'entry':
      return <Entry entry={step.entry} />;
    case 'wait':
      return (
        <p className={styles.soft}>
          Waits since <Time at={step.wait.since} /> for {readAwaited(step.wait.awaited)}
        </p>
      );
    case 'end':
      return (
        <Heading name={`Order ${order.state}`}>
          <StateBadge state={order.state} />
          {order.rejectedReason !== null && ` ${order.rejectedReason}`}
        </Heading>
      );
  }
}

function Heading({ name, children }: { name: string; children?: ReactNode }) {
  return (
    <p className={styles.heading}>
      <strong>{name}</strong> {children}
    </p>
  );
}

function Credit({ credit }: { credit: OrderView['credits'][number] }) {
  const { reference, entryReference, endToEndId, bookedOn, source, amount, currency } = credit;
  return (
    <>
      <Heading name="Credit at the bank">{amount !== null && <Money amount={amount} currency={currency ?? undefined} />}</Heading>
      <p>
        Reference <Copyable value={reference} />
        {entryReference !== null && entryReference !== reference && (
          <>
            {' '}
            in the entry <Copyable value={entryReference} />
          </>
        )}
      </p>
      <p className={styles.soft}>
        {bookedOn !== null && (
          <>
            Booked on <Day day={bookedOn} />,{' '}
          </>
        )}
        reported by {source}
        {endToEndId !== null && `, EndToEndId ${endToEndId}`}
      </p>
    </>
  );
}

const legNames: Record<string, string> = { issue: 'Issue', redeem: 'Redeem', payout: 'Payout', return: 'Return' };

function LegStation({ step: { leg, isGiveBack }, currency }: { step: Extract<PathStep, { kind: 'leg' }>; currency: string }) {
  const name = isGiveBack ? 'Give back' : (legNames[leg.kind] ?? leg.kind);
  return (
    <>
      <Heading name={leg.chain === null ? `${name} by the bank` : `${name} on ${leg.chain}`}>
        <StateBadge state={leg.state} /> <Money amount={leg.amount} currency={currency} />
      </Heading>
      {leg.reason !== null && <p>{leg.reason}</p>}
      {leg.sequence !== null && <p className={styles.soft}>Number {leg.sequence} of the token contract</p>}
    </>
  );
}

function TransactionStation({ step: { transaction, chain } }: { step: Extract<PathStep, { kind: 'transaction' }> }) {
  const { signer, nonce, state, hash, blockNumber, gasUsed, minedAt, failure, createdAt } = transaction;
  return (
    <>
      <Heading name="Transaction">
        <StateBadge state={state} /> {failure !== null && failure !== state && failure}
      </Heading>
      {hash !== null && <Hash value={hash} chain={chain ?? undefined} />}
      <p className={styles.soft}>
        Nonce {nonce} of <Address value={signer} chain={chain ?? undefined} />
      </p>
      {blockNumber !== null && (
        <p className={styles.soft}>
          In block {blockNumber}
          {minedAt !== null && `, ${formatDuration(Date.parse(minedAt) - Date.parse(createdAt))} after it was sent`}
          {gasUsed !== null && `, ${gasUsed} gas`}
        </p>
      )}
      <Attempts attempts={transaction.attempts} chain={chain} />
    </>
  );
}

function PaymentStation({ payment }: { payment: OrderView['payments'][number] }) {
  const { endToEndId, kind, state, creditorName, creditorIban, file, bankStatus, reason, sentAt, bookedOn, debits } = payment;
  return (
    <>
      <Heading name={kind === 'return' ? 'Return by the bank' : 'Payment by the bank'}>
        <StateBadge state={state} /> {bankStatus}
      </Heading>
      <p>
        To {creditorName}, <Iban value={creditorIban} />
      </p>
      <p>
        EndToEndId <Copyable value={endToEndId} />
      </p>
      {sentAt !== null && (
        <p className={styles.soft}>
          Sent <Time at={sentAt} show="absolute" /> {file !== null && `in ${file}`}
        </p>
      )}
      {bookedOn !== null && (
        <p className={styles.soft}>
          Debit booked on <Day day={bookedOn} /> {debits.join(', ')}
        </p>
      )}
      {reason !== null && <p>{reason}</p>}
    </>
  );
}

function Entry({ entry: { kind, bookedOn, postings } }: { entry: OrderView['entries'][number] }) {
  return (
    <details>
      <summary>
        Book: {kind.replaceAll('_', ' ')}, <Day day={bookedOn} />
      </summary>
      <table className={styles.table}>
        <caption className="visually-hidden">Postings of the entry</caption>
        <thead>
          <tr>
            <th scope="col">Account</th>
            <th scope="col" className={styles.end}>
              Debit or credit (−)
            </th>
          </tr>
        </thead>
        <tbody>
          {postings.map((posting) => (
            <tr key={`${posting.account} ${posting.amount}`}>
              <td>{posting.account}</td>
              <td className={styles.end}>
                <Money amount={posting.amount} currency={posting.currency} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
