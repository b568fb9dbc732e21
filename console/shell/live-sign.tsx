import { type LiveState, useLiveState } from '../api/live.ts';
import { StateBadge, type Tone } from '../design/state-badge.tsx';

const signs: Record<LiveState, { text: string; tone: Tone }> = {
  connecting: { text: 'Connecting…', tone: 'waiting' },
  live: { text: 'Live', tone: 'positive' },
  reconnecting: { text: 'Reconnecting…', tone: 'attention' },
  'database-away': { text: 'Database away', tone: 'negative' },
};

/** Whether what is shown follows what happens. */
export function LiveSign() {
  const { text, tone } = signs[useLiveState()];
  return (
    <span role="status">
      <StateBadge state={text} tone={tone} />
    </span>
  );
}
