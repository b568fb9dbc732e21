import type { Command } from 'commander';
import { auditEntries } from '../../operations/audit/audit-view.ts';
import { addView } from '../views/add-view.ts';

/** `mintrail audit`. */
export function addAuditCommand(program: Command): void {
  addView(program, auditEntries);
}
