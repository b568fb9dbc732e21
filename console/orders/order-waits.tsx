import { Banner } from '../design/banner.tsx';
import { formatTime, Time } from '../design/time.tsx';
import { ProblemText } from '../overview/problem-text.tsx';
import type { OrderView } from './queries.ts';

const isoTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

/** What a leg waits for, with times in the reader's time zone. */
export function readAwaited(awaited: string): string {
  return awaited.replaceAll(isoTime, formatTime);
}

/** What an open order waits for, and what is wrong where it waits. */
export function OrderWaits({ view: { waits, problems } }: { view: OrderView }) {
  return (
    <>
      {waits.map(({ kind, since, failures, awaited }) => (
        <Banner key={kind} tone="info" title={<ProblemText text={`The ${kind} waits for ${readAwaited(awaited)}.`} />}>
          Due <Time at={since} />
          {failures > 0 && `; transactions that did not carry it out: ${failures}`}
        </Banner>
      ))}
      {problems.map(({ kind, text, since }) => (
        <Banner key={`${kind} ${text}`} tone="attention" title={<ProblemText text={text} />}>
          Since <Time at={since} />
        </Banner>
      ))}
    </>
  );
}
