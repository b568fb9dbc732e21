import { Dialog } from '../design/dialog.tsx';
import { sections } from './sections.ts';
import styles from './shortcuts-dialog.module.css';
import { useShortcutsSetting } from './shortcuts.ts';

const others = [
  { keys: ['/'], text: 'Search' },
  { keys: ['?'], text: 'Show these shortcuts' },
  { keys: ['↑', '↓'], text: 'Go from row to row of a table' },
  { keys: ['Enter'], text: 'Open the row' },
  { keys: ['Esc'], text: 'Close a dialog' },
];

/** All keyboard shortcuts, and the switch that turns them off. */
export function ShortcutsDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const [on, turn] = useShortcutsSetting();
  const shortcuts = [...others, ...sections.map(({ key, name }) => ({ keys: ['g', key], text: `Go to ${name}` }))];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts">
      <dl className={styles.list}>
        {shortcuts.map(({ keys, text }) => (
          <div key={text} className={styles.shortcut}>
            <dt>{text}</dt>
            <dd className={styles.keys}>
              {keys.map((key) => (
                <kbd key={key} className={styles.key}>
                  {key}
                </kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <label className={styles.switch}>
        <input type="checkbox" checked={on} onChange={(event) => turn(event.target.checked)} /> Single keys are shortcuts
      </label>
    </Dialog>
  );
}
