import { Menu } from '@base-ui/react/menu';
import { useNavigate } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { useSession } from '../api/session-context.ts';
import { signOut } from '../api/sign-in.ts';
import { Icon, type IconName } from '../design/icon.tsx';
import { useExactTimes } from '../design/time.tsx';
import styles from './account-menu.module.css';
import { type Theme, themes, useTheme } from './theme.ts';

const themeNames: Record<Theme, { name: string; icon: IconName }> = {
  system: { name: 'As the computer', icon: 'screen' },
  light: { name: 'Light', icon: 'sun' },
  dark: { name: 'Dark', icon: 'moon' },
};

/** Who is signed in, the theme, how times are shown, the shortcuts, the end of the session. */
export function AccountMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const session = useSession();
  const [theme, chooseTheme] = useTheme();
  const [exactTimes, chooseExactTimes] = useExactTimes();
  const navigate = useNavigate();
  const end = async () => {
    await signOut();
    queryClient.clear();
    await navigate({ to: '/sign-in' });
  };
  return (
    <Menu.Root>
      <Menu.Trigger className={styles.trigger} aria-label={`Account of ${session.name}`}>
        <Icon name="person" />
        <span className={styles.name}>{session.name}</span>
        <Icon name="chevron" size={12} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} sideOffset={6} align="end">
          <Menu.Popup className={styles.popup}>
            <div className={styles.who}>
              <strong>{session.name}</strong>
              <span>{session.role}</span>
            </div>
            <Menu.Item className={styles.item} onClick={() => void navigate({ to: '/account' })}>
              <Icon name="person" />
              Your account
            </Menu.Item>
            <Menu.Separator className={styles.separator} />
            <Menu.RadioGroup value={theme} onValueChange={chooseTheme}>
              {themes.map((value) => (
                <Menu.RadioItem key={value} value={value} className={styles.item}>
                  <Icon name={themeNames[value].icon} />
                  {themeNames[value].name}
                  <Menu.RadioItemIndicator className={styles.indicator}>
                    <Icon name="check" size={14} />
                  </Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className={styles.separator} />
            <Menu.CheckboxItem checked={exactTimes} onCheckedChange={chooseExactTimes} className={styles.item}>
              <Icon name="clock" />
              Exact times
              <Menu.CheckboxItemIndicator className={styles.indicator}>
                <Icon name="check" size={14} />
              </Menu.CheckboxItemIndicator>
            </Menu.CheckboxItem>
            <Menu.Separator className={styles.separator} />
            <Menu.Item className={styles.item} onClick={onShortcuts}>
              Keyboard shortcuts <kbd className={styles.key}>?</kbd>
            </Menu.Item>
            <Menu.Separator className={styles.separator} />
            <Menu.Item className={styles.item} onClick={() => void end()}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
