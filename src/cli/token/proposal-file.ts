import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Proposal, readProposal, summaryOf, writeProposal } from '../../chain/admin/proposal.ts';
import { writeSafeBatch } from '../../chain/admin/safe-batch-file.ts';
import { StopError } from '../../platform/errors.ts';

/** Reads a proposal. Throws `file_unreadable`, `bad_input` and `proposal_mismatch`. */
export function readProposalFile(file: string): Proposal {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StopError({ code: 'file_unreadable', message: `${file} cannot be read (${codeOf(error)})` });
  }
  try {
    return readProposal(text);
  } catch (error) {
    if (error instanceof StopError) throw new StopError({ code: error.code, message: `${file}: ${error.message}` });
    throw error;
  }
}

/** Throws `not_possible` for a file that exists: it may hold signatures. */
export function requireNewFile(file: string): void {
  if (existsSync(file)) throw new StopError({ code: 'not_possible', message: `${file} exists already: choose another name` });
}

/** Writes a new file, whole or not at all. Throws `not_possible`, also for one that exists. */
export function createProposalFile(file: string, proposal: Proposal): void {
  create(file, writeProposal(proposal));
}

/** Writes the transaction of a proposal for the Transaction Builder of Safe's own application to a new file. Throws `not_possible`. */
export function createBatchFile(file: string, proposal: Proposal): void {
  const description = { name: 'Mintrail', description: summaryOf(proposal), createdAt: new Date() };
  create(file, writeSafeBatch(proposal.transaction, description));
}

/** Writes a file anew, whole or not at all. Throws `not_possible`. */
export function replaceProposalFile(file: string, proposal: Proposal): void {
  write(file, writeProposal(proposal), (draft) => renameSync(draft, file));
}

function create(file: string, text: string): void {
  write(file, text, (draft) => {
    // Unlike renaming, linking fails where the file exists.
    linkSync(draft, file);
    rmSync(draft);
  });
}

function write(file: string, text: string, publish: (draft: string) => void): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600 });
    publish(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StopError) throw error;
    throw new StopError({ code: 'not_possible', message: `${file} cannot be written (${codeOf(error)})` });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
