import { Link, type LinkComponentProps } from '@tanstack/react-router';
import type { ComponentPropsWithRef } from 'react';
import styles from './button.module.css';
import { classNames } from './class-names.ts';
import { Icon, type IconName } from './icon.tsx';

/** `primary` is what the page is for, at most once; `danger` cannot be undone; `caution` leads to a dialog with such a button; `quiet` has no border. */
export type ButtonTone = 'plain' | 'primary' | 'danger' | 'caution' | 'quiet';

/** A button. It does not send a form unless its `type` is `submit`. */
export function Button({ tone = 'plain', className, ...props }: ComponentPropsWithRef<'button'> & { tone?: ButtonTone }) {
  return <button type="button" {...props} className={classNames(styles.button, styles[tone], className)} />;
}

/** A button that is only a drawing; `label` says what it does. */
export function IconButton({ icon, label, className, ...props }: ComponentPropsWithRef<'button'> & { icon: IconName; label: string }) {
  return (
    <button
      type="button"
      title={label}
      aria-label={label}
      {...props}
      className={classNames(styles.button, styles.quiet, styles.icon, className)}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A link that looks like a button: it leads to where something is done. */
export function ButtonLink({ tone = 'plain', ...props }: LinkComponentProps & { tone?: ButtonTone }) {
  return <Link {...(props as LinkComponentProps)} className={classNames(styles.button, styles[tone])} />;
}
