import type { Chain } from '../../platform/chains.ts';
/** Name of the lock that whoever works a lane holds in PostgreSQL. */
export function laneLock(chain: Chain, signer: string): string {
  return `lane ${chain} ${signer}`;
}
