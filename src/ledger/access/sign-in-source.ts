/** Where something was done: a browser by name and system, and the network address that it came from. */
export interface SignInSource {
  browser: string;
  network: string;
}
