import { afterAll, beforeAll } from 'vitest';

/** What the tests of a file share: made by its first hook, and closed by its last if it can be closed. Before that hook nothing of it is there. */
export function forWholeFile<Made extends object>(make: () => Promise<Made>): Made {
  const made = {} as Made;
  beforeAll(async () => void Object.assign(made, await make()));
  // What could not be made cannot be closed.
  afterAll(() => (made as { close?: () => unknown }).close?.());
  return made;
}
