/** Gives the access token for the next request. */
export interface TokenSource {
  /** Throws as the request for a token does. */
  current(): Promise<string>;
  /** Says that the API did not accept a token. Returns whether asking for another may help. */
  refused(token: string): boolean;
}

/** What the token endpoint grants; `expires_in` in seconds. */
export interface Grant {
  access_token: string;
  expires_in: number;
}

/** Most seconds before its end at which an access token is no longer used. */
const margin = 60;

/** Renews a token before it ends. Whoever needs one meanwhile waits for the same renewal. */
export function renewedToken(grant: () => Promise<Grant>): TokenSource {
  let held: { value: string; until: number } | undefined;
  let renewal: Promise<string> | undefined;

  const renew = async (): Promise<string> => {
    try {
      const { access_token: value, expires_in: seconds } = await grant();
      held = { value, until: Date.now() + (seconds - Math.min(margin, seconds / 2)) * 1_000 };
      return value;
    } finally {
      renewal = undefined;
    }
  };

  return {
    current: () => (held && Date.now() < held.until ? Promise.resolve(held.value) : (renewal ??= renew())),
    refused(token) {
      if (held?.value === token) held = undefined;
      return true;
    },
  };
}

/** A token that the caller renews. */
export function givenToken(give: () => Promise<string> | string): TokenSource {
  return { current: async () => give(), refused: () => false };
}
