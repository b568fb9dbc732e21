/** How a leg ended, as the chain's confirmed log or the bank says. */
export interface LegOutcome {
  legId: string;
  /** Null for a payment by the bank. */
  txHash: string | null;
  blockNumber: bigint | null;
  /** The reason when it was refused; null when it was carried out. */
  refused: string | null;
}
