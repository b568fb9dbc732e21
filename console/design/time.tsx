import { useNow } from './now.ts';
import { createStoredSetting } from './stored-setting.ts';
import styles from './time.module.css';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const absoluteFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const zoneFormat = new Intl.DateTimeFormat(undefined, { timeZoneName: 'short' });
const dateFormat = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** Whether what is shown as relative times are the times themselves: the way to read them by the keyboard, without a stop at each. */
const setting = createStoredSetting('mintrail.times', ['relative', 'exact']);

/** Whether relative times are shown as exact ones, and the function that chooses it. */
export function useExactTimes(): [boolean, (exact: boolean) => void] {
  return [setting.useValue() === 'exact', (exact) => setting.choose(exact ? 'exact' : 'relative')];
}

/**
 * A time in the reader's time zone. `relative` shows how long ago it was, and the time itself on hover and to screen readers; where the reader has chosen
 * exact times, the time alone. `absolute` is the time alone; `both` the time and how long ago it was. `at` is ISO 8601.
 */
export function Time({ at, show = 'relative' }: { at: string; show?: 'relative' | 'absolute' | 'both' }) {
  const ago = useNow(minuteMs / 6) - Date.parse(at);
  const absolute = formatTime(at);
  const [exact] = useExactTimes();
  if (show === 'relative' && !exact) {
    return (
      // By the browser, which finds room for it: at the edge of a table an own text would be cut, or lie over something else.
      <time dateTime={at} className={styles.relative} title={absolute}>
        {formatAgo(ago)}
        <span className="visually-hidden">, {absolute}</span>
      </time>
    );
  }
  return (
    <time dateTime={at} className={styles.absolute}>
      {absolute}
      {show === 'both' && <span className={styles.soft}> · {formatAgo(ago)}</span>}
    </time>
  );
}

/** A calendar day, such as a booking day: it has no time zone. */
export function Day({ day }: { day: string }) {
  const [year = 0, month = 1, date = 1] = day.slice(0, 10).split('-').map(Number);
  return <time dateTime={day}>{dateFormat.format(new Date(year, month - 1, date))}</time>;
}

/** A time in the reader's time zone, with the name of the zone. */
export function formatTime(at: string): string {
  const time = new Date(at);
  const zone = zoneFormat.formatToParts(time).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return `${absoluteFormat.format(time)} ${zone}`.trim();
}

/** A duration in milliseconds in its two largest units, such as `2 h 5 min`. */
export function formatDuration(durationMs: number): string {
  const ms = Math.max(0, durationMs);
  if (ms < minuteMs) return `${Math.round(ms / secondMs)} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h ${Math.floor((ms % hourMs) / minuteMs)} min`;
  return `${Math.floor(ms / dayMs)} d ${Math.floor((ms % dayMs) / hourMs)} h`;
}

function formatAgo(agoMs: number): string {
  if (Math.abs(agoMs) < minuteMs / 4) return 'now';
  return agoMs >= 0 ? `${formatDuration(agoMs)} ago` : `in ${formatDuration(-agoMs)}`;
}
