import { useSyncExternalStore } from 'react';

/** `system` follows the setting of the computer. */
export const themes = ['system', 'light', 'dark'] as const;

/** One of {@link themes}. */
export type Theme = (typeof themes)[number];

const storageKey = 'mintrail.theme';
const listeners = new Set<() => void>();

/** Shows the page in the theme that was chosen in this browser. */
export function applyTheme(): void {
  const theme = readTheme();
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

/** The chosen theme, and the function that chooses another. */
export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, readTheme);
  return [theme, chooseTheme];
}

function chooseTheme(theme: Theme): void {
  localStorage.setItem(storageKey, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

function readTheme(): Theme {
  const stored = localStorage.getItem(storageKey);
  return themes.find((theme) => theme === stored) ?? 'system';
}
