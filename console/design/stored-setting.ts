import { useSyncExternalStore } from 'react';

/** A setting that this browser keeps: one of its values, the first unless another was chosen. What shows it by `useValue` follows each choice. */
export function createStoredSetting<const Value extends string>(key: string, values: readonly [Value, ...Value[]]) {
  const listeners = new Set<() => void>();
  const read = (): Value => {
    const stored = localStorage.getItem(key);
    return values.find((value) => value === stored) ?? values[0];
  };
  const choose = (value: Value): void => {
    localStorage.setItem(key, value);
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const useValue = (): Value => useSyncExternalStore(subscribe, read);
  return { read, choose, useValue };
}
