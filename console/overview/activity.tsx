import { useSuspenseQuery } from '@tanstack/react-query';
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
        {placed}
      </FigureTile>
      <FigureTile
        name="Time to processed"
        note={`half are faster; one in twenty takes ${formatSeconds(data.slowestTwentiethSeconds)} or more`}
      >
        {formatSeconds(data.medianSeconds)}
      </FigureTile>
      <FigureTile name="Open orders" note={`${orders.placed} placed, ${orders.pending} pending`}>
        {orders.placed + orders.pending}
      </FigureTile>
      <FigureTile name="Failing webhooks" note="subscriptions that are behind">
        {failingWebhooks}
      </FigureTile>
    </FigureTiles>
  );
}

function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–';
  return seconds < 10 ? `${seconds.toFixed(1)} s` : seconds < 600 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
