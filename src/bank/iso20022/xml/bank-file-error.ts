import { StopError } from '../../../platform/errors.ts';

/** Why a whole file cannot be applied. */
export type RefusalCode =
  | 'statement_malformed'
  | 'statement_truncated'
  | 'statement_doctype'
  | 'statement_encoding'
  | 'statement_unsupported'
  | 'statement_too_large'
  | 'statement_account_missing'
  | 'statement_unknown_element'
  | 'statement_totals_differ';

/** A place in the file as an editor shows it. */
export interface Place {
  line: number;
  column?: number;
}

/** The error of a file that cannot be applied: what is wrong, where, and what to do. */
export function refusal(code: RefusalCode, what: string, remedy: string, place?: Place): StopError {
  const column = place?.column === undefined ? '' : `, column ${place.column}`;
  const where = place === undefined ? '' : ` (line ${place.line}${column})`;
  return new StopError({ code, message: `${what}${where}. ${remedy} Nothing of this file was applied.` });
}
