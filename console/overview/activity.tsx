import { useSuspenseQuery } from '@tanstack/react-query';
import { formatCount, mostCounted } from '../design/count.ts';
import { FigureTile, FigureTiles } from '../design/figure-tile.tsx';

import { activityQuery, type Status } from './queries.ts';

const minuteMs = 60_000;

/** How many orders come, and how long they take. */
export function Activity({ status: { orders, failingWebhooks } }: { status: Status }) {
  const { data } = useSuspenseQuery(activityQuery);
  const placed = data.minutes.reduce((sum, minute) => sum + minute.placed, 0);
  const lastMinutes = data.minutes.filter(({ minute }) => Date.now() - Date.parse(minute) < 5 * minuteMs);
  const perMinute = lastMinutes.reduce((sum, minute) => sum + minute.placed, 0) / 5;
  return (
    <FigureTiles>
      <FigureTile name="Orders per minute" note="in the last five minutes">
        {perMinute.toFixed(1)}
      </FigureTile>
      <FigureTile name="Orders placed" note={data.isShortened ? 'or more, in the last hour' : 'in the last hour'}>
        {formatCount(placed)}
      </FigureTile>
      <FigureTile name="Time to process" note={`median; 95 % within ${formatSeconds(data.slowestTwentiethSeconds)}`}>
        {formatSeconds(data.medianSeconds)}
      </FigureTile>
      <FigureTile
        name="Open orders"
        note={`${formatCount(orders.placed, mostCounted.open)} placed, ${formatCount(orders.pending, mostCounted.open)} pending`}
      >
        {openCount(orders)}
      </FigureTile>
      <FigureTile name="Failing webhooks" note="subscriptions behind">
        {failingWebhooks}
      </FigureTile>
    </FigureTiles>
  );
}

/** Of both states together; each is counted up to a bound. */
function openCount({ placed, pending }: Status['orders']): string {
  const isMore = Math.max(placed, pending) > mostCounted.open;
  return isMore ? `${formatCount(mostCounted.open)}+` : formatCount(placed + pending);
}

function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–';
  return seconds < 10 ? `${seconds.toFixed(1)} s` : seconds < 600 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
