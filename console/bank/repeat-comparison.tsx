import { groupIban } from '../design/hash.tsx';
import { Link } from '@tanstack/react-router';
import { classNames } from '../design/class-names.ts';
import { groupDigits } from '../design/money.tsx';
import type { Credit } from './queries.ts';
import styles from './repeat-comparison.module.css';

type Recorded = NonNullable<Credit['repeats']>;

/** A fact of both reports. */
interface Fact {
  name: string;
  ours: string;
  theirs: string;
}

/** A suspected repeat beside the credit that it may repeat: fact by fact, and whether they agree. */
export function RepeatComparison({ credit, recorded }: { credit: Credit; recorded: Recorded }) {
  const facts = factsOf(credit, recorded);
  const differing = facts.filter(({ ours, theirs }) => ours !== theirs).length;
  return (
    <div className={styles.scroller} role="region" aria-label="Both reports" tabIndex={0}>
      <table className={styles.table}>
        <caption className={styles.caption}>
          Ask the bank how many payments it booked. Of {facts.length} facts, {facts.length - differing} are equal and {differing} differ.
        </caption>
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">This report, which waits</th>
            <th scope="col">
              Recorded before:{' '}
              {recorded.orderId === null ? (
                recorded.state
              ) : (
                <Link to="/orders/$id" params={{ id: recorded.orderId }}>
                  became an order
                </Link>
              )}
            </th>
            <th scope="col">Compared</th>
          </tr>
        </thead>
        <tbody>
          {facts.map(({ name, ours, theirs }) => (
            <tr key={name} className={classNames(ours !== theirs && styles.differs)}>
              <th scope="row">{name}</th>
              <td>{ours}</td>
              <td>{theirs}</td>
              <td>{ours === theirs ? '= equal' : '≠ differs'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function factsOf(credit: Credit, recorded: Recorded): Fact[] {
  const fact = (name: string, of: (side: Credit | Recorded) => string | null | undefined): Fact => ({
    name,
    ours: of(credit) ?? '–',
    theirs: of(recorded) ?? '–',
  });
  return [
    fact('Amount', ({ amount, currency }) => amount && `${groupDigits(amount)} ${currency?.toUpperCase() ?? ''}`),
    fact('Payer', ({ payer }) => payer.name),
    fact('Account', ({ payer }) => (payer.iban === undefined ? payer.accountNumber : groupIban(payer.iban))),
    fact('To IBAN', ({ iban }) => (iban === null ? null : groupIban(iban))),
    fact('Booked', ({ bookedOn }) => bookedOn),
    fact('Message to us', ({ remittance }) => remittance),
    fact('EndToEndId', ({ endToEndId }) => endToEndId),
    fact('UETR', ({ uetr }) => uetr),
    fact('File', ({ source }) => source),
    fact('Kind', ({ message }) => message),
    fact('Reference', ({ reference }) => reference),
  ];
}
