import type { ReactNode } from 'react';
import styles from './banner.module.css';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import toneStyles from './tones.module.css';

/** Something that the reader must know before going on. Assistive technology reads it when it appears. */
export function Banner({
  tone,
  title,
  actions,
  children,
}: {
  tone: 'info' | 'positive' | 'attention' | 'negative';
  title: ReactNode;
  actions?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className={classNames(styles.banner, toneStyles[tone])} role={tone === 'negative' ? 'alert' : 'status'}>
      <span className={styles.icon}>
        <Icon name={tone === 'positive' ? 'check' : tone === 'info' ? 'right' : 'warning'} />
      </span>
      <div className={styles.text}>
        <p className={styles.title}>{title}</p>
        {children && <div>{children}</div>}
      </div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  );
}
