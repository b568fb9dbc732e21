/** A method that an endpoint answered with an error, or with nothing, where others had an answer. */
export interface MethodFailure {
  method: string;
  /** Of the first of them, in milliseconds. */
  since: number;
  /** What it answered last. */
  failure: unknown;
}

/** The methods that an endpoint fails to answer as others do. */
export interface MethodFailures {
  /** Another endpoint has answered what this one has not. */
  note(method: string, failure: unknown): void;
  /** Whether the endpoint is asked for the method after the others. */
  has(method: string): boolean;
  /** The method that has failed for the longest time, and still did when it was tried again; undefined when there is none. */
  lasting(): MethodFailure | undefined;
}

/** Milliseconds for which the others are asked first after a failure. Then the endpoint has its place again: its next answer says whether it is well. */
const askedLastMs = 10_000;

/** A method of which no failure is seen for so long is well. Some are seldom asked for. */
const rememberedMs = 60_000;

/** Begins without any failure. `now` is the time in milliseconds. */
export function createMethodFailures(now: () => number = Date.now): MethodFailures {
  /** Methods are those that this service and its Ponder ask for, so that they are few. */
  const failures = new Map<string, MethodFailure & { at: number }>();
  const recent = (milliseconds: number) => [...failures.values()].filter(({ at }) => now() - at < milliseconds);
  return {
    note(method, failure) {
      const since = recent(rememberedMs).find((other) => other.method === method)?.since ?? now();
      failures.set(method, { method, since, failure, at: now() });
    },
    has: (method) => recent(askedLastMs).some((failure) => failure.method === method),
    lasting: () =>
      recent(rememberedMs)
        .filter(({ since, at }) => at - since >= askedLastMs)
        .toSorted((a, b) => a.since - b.since)[0],
  };
}
