/** Money to be sent to an account at a bank. */
export interface RailPayment {
  id: string;
  /** The exactly-once key of the border to the bank: 35 characters at most. */
  endToEndId: string;
  /** ISO 4217 in lower case. */
  currency: string;
  /** Minor units. */
  amount: bigint;
  creditorName: string;
  creditorIban: string;
  /** ISO 3166. */
  creditorCountry: string | null;
  remittance: string | null;
  structuredReference: string | null;
}

/** A file for the bank. */
export interface PaymentFile {
  name: string;
  content: string;
}

/** What becomes of payments: each is in exactly one of the three lists. */
export interface PaymentPlan {
  /** Carried out already. */
  accepted: string[];
  /** Never to be carried out, with the reason. */
  refused: { id: string; reason: string }[];
  /** With the bank, which says later what becomes of them. */
  sent: string[];
  /** Holds those that are sent, on a rail of files. */
  file?: PaymentFile;
}

/** What a batch of payments is known by. */
export interface BatchFacts {
  /** Unique, 32 characters. */
  messageId: string;
  createdAt: Date;
}

/** A way to send money. There are two: the sandbox's simulator, and ISO 20022 files. */
export interface Rail {
  name: 'sandbox' | 'iso20022';
  /** Most payments in one batch. */
  limit: number;
  /** How long payments wait for others to share a batch with. */
  collectSeconds: number;
  /**
   * Decides what becomes of payments, all of one currency. The same input gives the same answer, and nothing leaves the
   * process: the caller records the answer before it delivers the file, and may then deliver it as often as it likes.
   */
  plan(payments: readonly RailPayment[], batch: BatchFacts): PaymentPlan;
  /** Hands a file over, whole or not at all. Again is harmless. */
  deliver(file: PaymentFile): Promise<void>;
}
