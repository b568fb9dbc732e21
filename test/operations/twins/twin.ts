import type { TestConsole } from '../../console/support/test-console.ts';
import type { PaymentsLedger } from '../../ledger/bank/payments-ledger.ts';

/** What a verb is done to: the input that a page sends for it, the command line that says the same, and whose audit entries it leaves. */
export interface Subject {
  input: Record<string, unknown>;
  command: string[];
  /** Looked up where it has its name only once it is there. */
  audited: string | (() => Promise<string>);
}

/** A verb, which a command and a page do. */
export interface Twin {
  verb: string;
  /** A new subject each time. */
  prepare: (payments: PaymentsLedger, console: TestConsole) => Promise<Subject>;
  /** Brings a subject into a state that forbids the verb; not set where having done it does. */
  forbid?: (payments: PaymentsLedger, subject: Subject) => Promise<unknown>;
  /** What refuses it in that state; not set where no state does. */
  guard?: string;
  /** Throws unless a subject is what the verb makes of it. */
  isDone?: (payments: PaymentsLedger, subject: Subject) => Promise<void>;
}

export const reason = 'Looked at by hand';

let amounts = 0;

/** An amount that no other subject has, so that none is taken for the money of another. */
export function nextAmount(): { amount: string; minor: bigint; number: string } {
  amounts += 1;
  return { amount: `${amounts}.00`, minor: BigInt(amounts) * 100n, number: `S${amounts}` };
}
