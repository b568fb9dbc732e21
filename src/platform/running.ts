/** A part of Mintrail that runs until it is closed. `close` finishes what is under way and lets go of all it holds. */
export interface Running {
  close(): Promise<void>;
}
