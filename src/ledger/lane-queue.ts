/** Queue that wakes the lanes of a network when a leg became ready. */
export function laneQueue(chain: string): string {
  return `lane-${chain}`;
}
