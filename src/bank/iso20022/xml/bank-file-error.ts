import { StopError } from '../../../platform/errors.ts';

/** Why a file from the bank cannot be imported. All but `statement_truncated` (still being written?) stay so. */
export type BankFileErrorCode = 'statement_malformed' | 'statement_truncated' | 'statement_unsupported' | 'statement_totals_differ';

/** Where in a file, as an editor shows it: both counted from 1. */
export interface FilePosition {
  line: number;
  column?: number;
}

/** The error of a file that does not follow its standard. */
export function malformed(problem: string, remedy: string, position?: FilePosition): StopError {
  return bankFileError('statement_malformed', problem, remedy, position);
}

/** The error of a file that cannot be imported: what is wrong, where, and what to do about it (sentences). */
export function bankFileError(code: BankFileErrorCode, problem: string, remedy: string, position?: FilePosition): StopError {
  const column = position?.column === undefined ? '' : `, column ${position.column}`;
  const where = position === undefined ? '' : ` (line ${position.line}${column})`;
  return new StopError({ code, message: `${problem}${where}. ${remedy} Nothing of this file was applied.` });
}
