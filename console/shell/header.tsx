import { Link } from '@tanstack/react-router';
import { useSession } from '../api/session-context.ts';
import { IconButton } from '../design/button.tsx';
import { AccountMenu } from './account-menu.tsx';
import styles from './header.module.css';
import { LiveSign } from './live-sign.tsx';
import { Search } from './search.tsx';

/** The top of every page: where we are, search, whether it is live, who is signed in. */
export function Header({ onMenu, onShortcuts }: { onMenu: () => void; onShortcuts: () => void }) {
  const { environment } = useSession();
  return (
    <header className={styles.header}>
      <div className={styles.menu}>
        <IconButton icon="menu" label="Menu" onClick={onMenu} />
      </div>
      <Link to="/" className={styles.brand}>
        <Mark />
        <span className={styles.name}>Mintrail</span>
        {environment === 'sandbox' && <span className={styles.environment}>sandbox</span>}
      </Link>
      <Search />
      <LiveSign />
      <AccountMenu onShortcuts={onShortcuts} />
    </header>
  );
}

/** The mark of the product. */
export function Mark() {
  return (
    <svg width="20" height="20" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#1d5fc4" />
      <path d="M7 23V9l9 8 9-8v14" fill="none" stroke="#fff" strokeWidth="3.2" strokeLinecap="round" strokeLinejoin="round" />
    </svg>
  );
}
