import { MintrailError } from '../../platform/errors.ts';
import { describeRpcError } from '../node-answer.ts';

/** `unknown` is an outage: the check could not be made. */
export type Level = 'ok' | 'warning' | 'failure' | 'unknown';

/** What a check found out, in a sentence for the operator. */
export interface CheckResult {
  level: Level;
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

/** The result of one check of one subject. */
export interface Finding extends CheckResult {
  /** The endpoint, token or signer that was checked. */
  subject: string;
  check: string;
}

/** The result of a check that passed. */
export const ok = (detail: string): CheckResult => ({ level: 'ok', detail });
/** The result of a check that found something which does not stop the service; `remedy` says what to do. */
export const warning = (detail: string, remedy: string): CheckResult => ({ level: 'warning', detail, remedy });
/** The result of a check that found something which stops the service; `remedy` says what to do. */
export const failure = (detail: string, remedy: string): CheckResult => ({ level: 'failure', detail, remedy });

/** Makes a check. A StopError becomes a failure; any other error is an outage and becomes `unknown`. Never throws. */
export async function runCheck(subject: string, check: string, work: () => Promise<CheckResult>): Promise<Finding> {
  try {
    return { subject, check, ...(await work()) };
  } catch (error) {
    if (error instanceof MintrailError && !error.retryable) return { subject, check, level: 'failure', detail: error.message };
    return { subject, check, level: 'unknown', detail: describeRpcError(error), remedy: 'the check could not be made: try again' };
  }
}
