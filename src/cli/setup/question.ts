import type { CheckResult, Finding } from '../../chain/probes/finding.ts';
import type { Environment } from '../../platform/settings.ts';

/** A setting that `mintrail setup` asks for. */
export interface Question {
  variable: string;
  /** What it is for, and where its value comes from. */
  explanation: string;
  example: string;
  /** The value where nobody types one. */
  standard?: string;
  /** The value that is in effect where the setting is missing, of a setting with a standard and a default. */
  unset?: string;
  /** Whether it may stay unset. */
  isOptional?: boolean;
  /** Whether a value that is there already may be shown. */
  isSecret?: boolean;
  /** Looks at what the value names. `env` has the values that were answered before, and this one. */
  check?: (value: string, env: Environment) => Promise<CheckResult | readonly Finding[]>;
  /** Whether the check needs no connection. */
  isChecked?: 'offline';
}

/** Settings that belong together. */
export interface QuestionGroup {
  title: string;
  questions: readonly Question[];
}
