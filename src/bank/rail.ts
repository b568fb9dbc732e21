import type { PaymentFacts } from './payment-problem.ts';

/** A way to send money to accounts at banks. There are two: the sandbox's simulator, and ISO 20022 files. */
export interface Rail {
  name: 'sandbox' | 'iso20022';
  /** Most payments in one batch. */
  limit: number;
  /** How long the oldest payment waits for others to share a batch with. */
  collectSeconds: number;
  /**
   * Decides what happens to payments, all of one currency. The same input gives the same plan, and nothing leaves the
   * process: the caller stores the plan before it delivers the file, and may then deliver it any number of times.
   */
  plan(payments: readonly RailPayment[], batch: BatchHeader): PaymentPlan;
  /** The content of a file as it is handed to the bank at a time, by which one that waited is dated. */
  date(content: string, at: Date): string;
  /** Hands a file to the bank, whole or not at all; the same file again has no further effect. */
  deliver(file: PaymentFile): Promise<void>;
  /** Whether a file could be handed to the bank now. Tokens are not burned for a payment to the bank while it could not. */
  isReachable(): Promise<boolean>;
}

/** Money to be sent to an account at a bank. */
export interface RailPayment extends PaymentFacts {
  id: string;
  /** The exactly-once key at the border to the bank: at most 35 characters. */
  endToEndId: string;
  /** ISO 3166-1 alpha-2. */
  creditorCountry: string | null;
}

/** What identifies a batch of payments. */
export interface BatchHeader {
  /** Unique; 32 characters. */
  messageId: string;
  createdAt: Date;
}

/** What happens to payments: each id is in exactly one of the three lists. */
export interface PaymentPlan {
  /** Carried out already. */
  accepted: string[];
  /** Never carried out, with the reason. */
  refused: { id: string; reason: string }[];
  /** Left to the bank, which later reports what became of them. */
  sent: string[];
  /** Holds the sent payments, on a rail of files. */
  file?: PaymentFile;
}

/** A file for the bank. */
export interface PaymentFile {
  name: string;
  content: string;
}
