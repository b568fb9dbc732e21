import { Button } from '../design/button.tsx';
import styles from './recovery-codes.module.css';

/** New recovery codes, which can be seen only now. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  return (
    <>
      <p>With your password, each signs you in once instead of a code of the app. They are shown only now.</p>
      <pre className={styles.codes}>{codes.join('\n')}</pre>
      <Button tone="primary" onClick={onKept}>
        I have kept them
      </Button>
    </>
  );
}
