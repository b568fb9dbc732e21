/** What a subscription has under way in this worker, and may have more. */
export interface Slot {
  subscription: string;
  busy: number;
  free: number;
  failing: boolean;
}

/**
 * How many deliveries each subscription may have under way in this worker. A subscription begins with `first`, gets one more
 * with each success up to `most`, and half with each failure, down to one: a receiver that does not answer soon holds one
 * place. All those whose last attempt failed have no more than half of the places together.
 */
export interface Slots {
  /** Every subscription that is not as at the beginning. */
  known(): Slot[];
  /** Places that are free for all subscriptions together. */
  free(): number;
  /** Of these, places that are free for failing subscriptions. */
  freeForFailing(): number;
  take(subscription: string): void;
  give(subscription: string, succeeded: boolean): void;
}

export interface SlotLimits {
  all: number;
  most: number;
  first: number;
}

interface Share {
  busy: number;
  allowed: number;
  failing: boolean;
}

export function createSlots({ all, most, first }: SlotLimits): Slots {
  const shares = new Map<string, Share>();
  const shareOf = (subscription: string): Share => {
    const share = shares.get(subscription) ?? { busy: 0, allowed: first, failing: false };
    shares.set(subscription, share);
    return share;
  };
  const busyOf = (wanted: (share: Share) => boolean): number =>
    [...shares.values()].reduce((sum, share) => (wanted(share) ? sum + share.busy : sum), 0);
  return {
    known: () =>
      [...shares].map(([subscription, { busy, allowed, failing }]) => ({
        subscription,
        busy,
        free: Math.max(0, allowed - busy),
        failing,
      })),
    free: () => all - busyOf(() => true),
    freeForFailing: () => Math.max(0, Math.floor(all / 2) - busyOf(({ failing }) => failing)),
    take(subscription) {
      shareOf(subscription).busy += 1;
    },
    give(subscription, succeeded) {
      const share = shareOf(subscription);
      share.busy -= 1;
      share.failing = !succeeded;
      share.allowed = succeeded ? Math.min(most, share.allowed + 1) : Math.max(1, Math.floor(share.allowed / 2));
    },
  };
}
