import { type ReactNode, useEffect } from 'react';
import { Mark } from '../shell/header.tsx';
import styles from './sign-in-frame.module.css';

/** The frame of the pages of those who are not signed in. */
export function SignInFrame({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Mintrail`;
  }, [title]);
  return (
    <main className={styles.frame}>
      <div className={styles.card}>
        <p className={styles.brand}>
          <Mark /> Mintrail console
        </p>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </div>
    </main>
  );
}
