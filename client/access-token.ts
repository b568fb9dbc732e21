/** Where the client's access tokens come from. */
export interface TokenSource {
  /** The token for the next request. Throws what the request for a token throws. */
  current(): Promise<string>;
  /** Reports that the API rejected a token with 401. Returns whether another token may help. */
  reportRejected(token: string): boolean;
}

/** What the token endpoint grants; `expires_in` in seconds. */
export interface Grant {
  access_token: string;
  expires_in: number;
}

/** Seconds before its expiry at which a token is renewed, at most. */
const renewalMarginSeconds = 60;

/** A token that is renewed before it expires. Concurrent requests wait for the same renewal. */
export function renewedToken(grant: () => Promise<Grant>): TokenSource {
  let token: { value: string; renewAt: number } | undefined;
  let renewal: Promise<string> | undefined;

  const renew = async (): Promise<string> => {
    try {
      const { access_token: value, expires_in: seconds } = await grant();
      token = { value, renewAt: Date.now() + (seconds - Math.min(renewalMarginSeconds, seconds / 2)) * 1_000 };
      return value;
    } finally {
      renewal = undefined;
    }
  };

  return {
    current: () => (token && Date.now() < token.renewAt ? Promise.resolve(token.value) : (renewal ??= renew())),
    reportRejected(rejected) {
      if (token?.value === rejected) token = undefined;
      return true;
    },
  };
}

/** A token that the application provides and renews itself. */
export function providedToken(provide: () => Promise<string> | string): TokenSource {
  return { current: async () => provide(), reportRejected: () => false };
}
