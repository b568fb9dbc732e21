/** The slots of one subscription in this worker. */
interface SubscriptionSlots {
  subscription: string;
  /** Attempts in flight. */
  busy: number;
  /** Attempts that may begin now. */
  free: number;
  /** Whether its last attempt failed. */
  failing: boolean;
}

/**
 * Limits how many attempts each subscription has in flight in this worker. A subscription begins with `first` slots, gets one more
 * with each success up to `most`, and half with each failure, down to one (additive increase, multiplicative decrease): a receiver
 * that does not answer soon occupies one slot. All subscriptions whose last attempt failed have at most half of all slots together.
 */
export interface Slots {
  /** Every subscription that has had an attempt. Any other has `first` free slots. */
  known(): SubscriptionSlots[];
  /** Slots that are free for all subscriptions together. */
  free(): number;
  /** Of these, slots that are free for failing subscriptions. */
  freeForFailing(): number;
  /** An attempt begins. */
  take(subscription: string): void;
  /** An attempt has ended. */
  release(subscription: string, succeeded: boolean): void;
}

/** How many attempts may be in flight at once. */
export interface SlotLimits {
  /** Slots of the worker. */
  total: number;
  /** Most slots of one subscription. */
  most: number;
  /** Slots of a subscription before its first attempt. */
  first: number;
}

interface Share {
  busy: number;
  allowed: number;
  failing: boolean;
}

/** Creates the slots of a worker, all of them free. They live in memory only. */
export function createSlots({ total, most, first }: SlotLimits): Slots {
  const shares = new Map<string, Share>();
  const shareOf = (subscription: string): Share => {
    const share = shares.get(subscription) ?? { busy: 0, allowed: first, failing: false };
    shares.set(subscription, share);
    return share;
  };
  const busyOf = (matches: (share: Share) => boolean): number =>
    [...shares.values()].reduce((sum, share) => (matches(share) ? sum + share.busy : sum), 0);
  return {
    known: () =>
      [...shares].map(([subscription, { busy, allowed, failing }]) => ({
        subscription,
        busy,
        free: Math.max(0, allowed - busy),
        failing,
      })),
    free: () => total - busyOf(() => true),
    freeForFailing: () => Math.max(0, Math.floor(total / 2) - busyOf(({ failing }) => failing)),
    take(subscription) {
      shareOf(subscription).busy += 1;
    },
    release(subscription, succeeded) {
      const share = shareOf(subscription);
      share.busy -= 1;
      share.failing = !succeeded;
      share.allowed = succeeded ? Math.min(most, share.allowed + 1) : Math.max(1, Math.floor(share.allowed / 2));
    },
  };
}
