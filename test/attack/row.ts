import type { GasSpent } from './gas-meter.ts';
import type { Sender } from './sender.ts';
import type { Target } from './targets.ts';

/** What a row sends by. */
export interface Attack {
  target: Target;
  api: Sender;
  console: Sender;
  readers: Sender;
  /** The header of the application that has a token. */
  authorization: string;
  /** What operators have paid for gas since the row began; nothing where the target has no network. */
  gasSpent: () => Promise<GasSpent>;
}

/** Something that somebody sends to cost the service more than it costs them. */
export interface Row {
  name: string;
  /** What of the target it needs besides the API. */
  needs?: 'consoleUrl' | 'readersUrl' | 'partner' | 'granted' | 'network';
  /** How often it is repeated at length, and in the short form; without that, `npm test` shows by a test nearer to the rule that it is turned away. */
  times: { short?: number; long: number };
  /** What it may cost the service: milliseconds of a processor for each request, and megabytes of memory in all. */
  bound: { processorMs: number; megabytes: number };
  /** Answers of 5xx that are documented. */
  mayAnswer?: readonly number[];
  /** Returns in sentences what of others it has harmed or kept away, and what it has cost that the bound does not name. */
  run(attack: Attack, times: number): Promise<string[] | void>;
}

/** What a request may cost that is turned away, or whose answer is short, with the measuring of all processes around it. */
export const short = { processorMs: 50, megabytes: 100 };
