import { Dialog as BaseDialog } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { Icon } from './icon.tsx';

/** A window above the page. Escape closes it, and the focus goes back to where it was. `wide` is for what stands side by side. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  wide = false,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <BaseDialog.Root open={open} onOpenChange={onOpenChange}>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className={styles.backdrop} />
        <BaseDialog.Popup className={wide ? `${styles.popup} ${styles.wide}` : styles.popup}>
          <div className={styles.head}>
            <BaseDialog.Title className={styles.title}>{title}</BaseDialog.Title>
            <BaseDialog.Close className={styles.close} aria-label="Close">
              <Icon name="close" />
            </BaseDialog.Close>
          </div>
          <div className={styles.body}>
            {description && <BaseDialog.Description render={<div className={styles.description} />}>{description}</BaseDialog.Description>}
            {children}
          </div>
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  );
}

/** The buttons at the end of a dialog. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className={styles.actions}>{children}</div>;
}

/** Closes the dialog that it is in. */
export function DialogClose({ children }: { children: ReactNode }) {
  return <BaseDialog.Close render={<Button />}>{children}</BaseDialog.Close>;
}
