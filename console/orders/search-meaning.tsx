import { Link } from '@tanstack/react-router';
import { Money } from '../design/money.tsx';
import styles from './orders-page.module.css';
import type { OrderFilter, TextSearch } from './queries.ts';

const names: Record<NonNullable<TextSearch['meaning']>, string> = {
  order: 'the id of an order',
  leg: 'the id of a leg',
  payment: 'the id or EndToEndId of a payment',
  transaction: 'the hash of a transaction',
  'bank reference': 'a reference of the bank',
  EndToEndId: 'the EndToEndId of a payer',
  profile: 'the id of a profile',
  address: 'an address',
  iban: 'an IBAN',
  amount: 'an amount',
  memo: 'a memo',
  name: "a profile's name",
};

/** What the text was taken for, and what else it can be. */
export function SearchMeaning({ text, search, filter }: { text: string; search: TextSearch; filter: OrderFilter }) {
  const { meaning, others, isCut, amount, currency, profiles = 0 } = search;
  if (meaning === undefined) {
    return (
      <p className={styles.meaning} role="status">
        <span>
          Searched for <strong>{text}</strong>.
        </span>
      </p>
    );
  }
  return (
    <p className={styles.meaning} role="status">
      <span>
        Taken for {names[meaning]}: <strong>{amount === undefined ? text : <Money amount={amount} currency={currency} />}</strong>
        {meaning === 'name' && profiles > 1 && `, of ${profiles} profiles`}
        {isCut && '. Only the first orders are shown'}
      </span>
      {others.map((other) => (
        <Link key={other} to="/orders" search={{ ...filter, as: other }}>
          Take it for {names[other]}
        </Link>
      ))}
    </p>
  );
}
