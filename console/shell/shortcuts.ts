import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createStoredSetting } from '../design/stored-setting.ts';
import { searchFieldId } from './search.tsx';
import { sections } from './sections.ts';

const setting = createStoredSetting('mintrail.shortcuts', ['on', 'off']);
const sequenceMs = 1500;

/** Whether single keys are shortcuts, and the function that turns them on or off (WCAG 2.1.4, Character Key Shortcuts). */
export function useShortcutsSetting(): [boolean, (on: boolean) => void] {
  return [setting.useValue() === 'on', turnShortcuts];
}

/** Listens for the shortcuts: `/` goes to the search, `g` and a letter to a page, `?` shows them all. */
export function useShortcuts(onHelp: () => void): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goPressedAt = Number.NEGATIVE_INFINITY;
    const onKeyDown = (event: KeyboardEvent) => {
      if (setting.read() === 'off' || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      const section = event.timeStamp - goPressedAt < sequenceMs ? sections.find(({ key }) => key === event.key) : undefined;
      goPressedAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (section) void navigate({ to: section.to });
      else if (event.key === '/') document.getElementById(searchFieldId)?.focus();
      else if (event.key === '?') onHelp();
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, onHelp]);
}

/** In a field, a key is a letter; in a dialog, it is meant for the dialog. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !== null
  );
}

function turnShortcuts(on: boolean): void {
  setting.choose(on ? 'on' : 'off');
}
