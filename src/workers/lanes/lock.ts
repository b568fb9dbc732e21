/** Name of the lock that whoever works a lane holds in PostgreSQL. */
export function laneLock(chain: string, signer: string): string {
  return `lane ${chain} ${signer}`;
}
