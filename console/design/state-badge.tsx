import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';
import styles from './state-badge.module.css';
import toneStyles from './tones.module.css';

/**
 * What a state means to an operator: it waits for something that comes by itself, is under way, ended well, wants a look, ended badly,
 * or has no meaning of its own. Each has a shape, so that colour is never the only sign.
 */
export type Tone = 'waiting' | 'progress' | 'positive' | 'attention' | 'negative' | 'neutral';

const shapes: Record<Tone, ReactNode> = {
  waiting: <circle cx="5" cy="5" r="3.5" fill="none" stroke="currentColor" strokeWidth="1.5" strokeDasharray="2 1.6" />,
  progress: (
    <>
      <circle cx="5" cy="5" r="3.75" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M5 1.25a3.75 3.75 0 0 1 0 7.5z" fill="currentColor" />
    </>
  ),
  positive: <path d="M1.5 5.3 4 7.75 8.5 2.5" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  attention: <path d="M5 .75 9.5 9h-9z" fill="currentColor" />,
  negative: <path d="m1.75 1.75 6.5 6.5M8.25 1.75l-6.5 6.5" fill="none" stroke="currentColor" strokeWidth="1.8" />,
  neutral: <path d="M1.5 5h7" fill="none" stroke="currentColor" strokeWidth="1.8" />,
};

/** The states of the ledger (docs/transitions.md), of deliveries, customers and operators. */
const tones: Record<string, Tone> = {
  placed: 'waiting',
  waiting: 'waiting',
  ready: 'waiting',
  held: 'waiting',
  dust: 'waiting',
  created: 'waiting',
  invited: 'waiting',
  incomplete: 'waiting',
  pending: 'progress',
  sent: 'progress',
  mined: 'progress',
  submitted: 'attention',
  in_review: 'attention',
  unmatched: 'attention',
  parked: 'attention',
  carrying_out: 'progress',
  processed: 'positive',
  done: 'positive',
  settled: 'positive',
  accepted: 'positive',
  approved: 'positive',
  confirmed: 'positive',
  carried_out: 'positive',
  matched: 'positive',
  delivered: 'positive',
  succeeded: 'positive',
  active: 'positive',
  ok: 'positive',
  holds: 'positive',
  acknowledged: 'attention',
  rejected: 'negative',
  refused: 'negative',
  reverted: 'negative',
  lost: 'negative',
  failed: 'negative',
  differs: 'negative',
  expired: 'neutral',
  returned: 'neutral',
  reversed: 'neutral',
  repeated: 'neutral',
  replaced: 'neutral',
  cancelled: 'neutral',
  void: 'neutral',
  disabled: 'neutral',
};

/** The state of something, with a shape and its name. `tone` is for a state of another sense than usual; `children` for another text. */
export function StateBadge({ state, tone = toneOf(state), children }: { state: string; tone?: Tone; children?: ReactNode }) {
  return (
    <span className={classNames(styles.badge, toneStyles[tone])}>
      <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
        {shapes[tone]}
      </svg>
      {children ?? state.replaceAll('_', ' ')}
    </span>
  );
}

/** What a state means. */
export function toneOf(state: string): Tone {
  return tones[state] ?? 'neutral';
}
