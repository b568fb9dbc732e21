/** Counts what the simulation has done to the system, by name, over any number of runs. */
export interface FaultCounts {
  note(fault: string): void;
  /** By name, the names in order. */
  list(): [fault: string, count: number][];
  add(other: FaultCounts): void;
}

/** Counts that begin at zero. */
export function countFaults(): FaultCounts {
  const counts = new Map<string, number>();
  return {
    note: (fault) => counts.set(fault, (counts.get(fault) ?? 0) + 1),
    list: () => [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    add(other) {
      for (const [fault, count] of other.list()) counts.set(fault, (counts.get(fault) ?? 0) + count);
    },
  };
}
