import { Dialog } from '@base-ui/react/dialog';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { approvalsForMeQuery } from '../approvals/queries.ts';
import { CountBadge } from '../design/count-badge.tsx';
import { Icon } from '../design/icon.tsx';
import styles from './navigation.module.css';
import { sectionGroups } from './sections.ts';

/** The links to all pages. */
export function Navigation({ label, onFollow }: { label: string; onFollow?: () => void }) {
  return (
    <nav aria-label={label} className={styles.navigation}>
      {sectionGroups.map((group) => (
        <div key={group.name}>
          <p className={styles.group}>{group.name}</p>
          <ul>
            {group.sections.map(({ to, name, icon }) => (
              <li key={to}>
                <Link to={to} className={styles.link} activeOptions={{ exact: to === '/' }} onClick={onFollow}>
                  <Icon name={icon} />
                  {name}
                  {to === '/approvals' && <WaitingForMe />}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}

/** How many approvals wait for the reader; nothing while there are none. */
function WaitingForMe() {
  const { data: count = 0 } = useQuery(approvalsForMeQuery);
  if (count === 0) return null;
  return (
    <span className={styles.waiting}>
      <CountBadge count={count} waiting="waiting for you" />
    </span>
  );
}

/** The same from the side of a narrow screen. */
export function NavigationDrawer({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.drawer}>
          <div className={styles.drawerHead}>
            <Dialog.Title className={styles.drawerTitle}>Mintrail</Dialog.Title>
            <Dialog.Close className={styles.close} aria-label="Close the menu">
              <Icon name="close" />
            </Dialog.Close>
          </div>
          <Navigation label="Pages" onFollow={() => onOpenChange(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
