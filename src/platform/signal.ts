/** Lets a loop sleep until somebody has news for it. News that come while it is awake wake it at once next time. */
export interface Signal {
  set: () => void;
  /** Resolves when set, or after `milliseconds`. */
  wait(milliseconds: number): Promise<void>;
}

export function createSignal(): Signal {
  let isSet = false;
  let wake: (() => void) | undefined;
  return {
    set() {
      isSet = true;
      wake?.();
    },
    async wait(milliseconds) {
      if (!isSet) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      wake = undefined;
      isSet = false;
    },
  };
}
