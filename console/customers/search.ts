/** The states of profiles, as filters name them. */
export const profileStates = ['pending', 'incomplete', 'created', 'approved', 'rejected'] as const;

/** Which profiles are listed; those in review unless a state is named. */
export interface CustomerSearch {
  state?: (typeof profileStates)[number];
}

/** Reads the filter from the address. */
export function customerSearch(search: Record<string, unknown>): CustomerSearch {
  const state = profileStates.find((value) => value === search['state']);
  return state === undefined ? {} : { state };
}
