import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { Icon } from '../design/icon.tsx';
import styles from './search.module.css';

/** The id by which the key `/` finds the field. */
export const searchFieldId = 'search';

/** Searches orders by anything: an id, hash, IBAN, address, reference or amount. */
export function Search() {
  const navigate = useNavigate();
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('q');
    if (typeof text === 'string' && text.trim() !== '') void navigate({ to: '/orders', search: { q: text.trim() } });
  };
  return (
    <form role="search" className={styles.search} onSubmit={search}>
      <span className={styles.icon}>
        <Icon name="search" />
      </span>
      <input
        id={searchFieldId}
        className={styles.field}
        name="q"
        type="search"
        aria-label="Search orders"
        placeholder="Order, hash, IBAN, address, reference, amount"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
      />
      <kbd className={styles.key} aria-hidden="true">
        /
      </kbd>
    </form>
  );
}
