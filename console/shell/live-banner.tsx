import { useLiveState } from '../api/live.ts';
import { Banner } from '../design/banner.tsx';
import styles from './live-banner.module.css';

/** Says that what is shown may be old, while the console or its database is away. */
export function LiveBanner() {
  const state = useLiveState();
  if (state !== 'reconnecting' && state !== 'database-away') return null;
  return (
    <div className={styles.space}>
      {state === 'reconnecting' ? (
        <Banner tone="attention" title="The console does not answer.">
          What you see may be old. It connects again by itself.
        </Banner>
      ) : (
        <Banner tone="negative" title="The database is away.">
          What you see is what was last read, and nothing can be carried out. It goes on by itself when the database is back.
        </Banner>
      )}
    </div>
  );
}
