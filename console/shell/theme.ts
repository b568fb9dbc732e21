import { createStoredSetting } from '../design/stored-setting.ts';

/** `system` follows the setting of the computer. */
export const themes = ['system', 'light', 'dark'] as const;

/** One of {@link themes}. */
export type Theme = (typeof themes)[number];

const setting = createStoredSetting('mintrail.theme', themes);

/** Shows the page in the theme that was chosen in this browser. */
export function applyTheme(): void {
  const theme = setting.read();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** The chosen theme, and the function that chooses another. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  return [setting.useValue(), chooseTheme];
}

function chooseTheme(theme: Theme): void {
  setting.choose(theme);
  applyTheme();
}
