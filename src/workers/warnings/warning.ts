import type { Registry } from 'prom-client';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Settings } from '../../platform/settings.ts';
import type { ProblemKind } from '../../problems/catalogue.ts';

/** What ends or runs out some day, seen now. */
export interface Warning {
  kind: ProblemKind;
  subject: string;
  /** What ends and when, and the remedy. */
  text: string;
}

/** What the warnings are read from. */
export interface WarningDeps {
  settings: Settings;
  ledger: Ledger;
  registry: Registry;
}
