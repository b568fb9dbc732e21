import { randomUUID } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type Proposal, readProposal, writeProposal } from '../../chain/admin/proposal.ts';
import { StopError } from '../../platform/errors.ts';

/** Reads a proposal. Throws `invalid_proposal`, also where the file cannot be read, and `proposal_mismatch`. */
export function readProposalFile(file: string): Proposal {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new StopError({ code: 'invalid_proposal', message: `${file} cannot be read (${codeOf(error)})` });
  }
  try {
    return readProposal(text);
  } catch (error) {
    if (error instanceof StopError) throw new StopError({ code: error.code, message: `${file}: ${error.message}` });
    throw error;
  }
}

/** Throws `proposal_unwritable` for a file that exists: it may hold signatures. */
export function requireNewFile(file: string): void {
  if (existsSync(file)) throw new StopError({ code: 'proposal_unwritable', message: `${file} exists already: choose another name` });
}

/** Writes a new file, whole or not at all. Throws `proposal_unwritable`, also for one that exists. */
export function createProposalFile(file: string, proposal: Proposal): void {
  write(file, proposal, (draft) => {
    // Unlike renaming, linking fails where the file exists.
    linkSync(draft, file);
    rmSync(draft);
  });
}

/** Writes a file anew, whole or not at all. Throws `proposal_unwritable`. */
export function replaceProposalFile(file: string, proposal: Proposal): void {
  write(file, proposal, (draft) => renameSync(draft, file));
}

function write(file: string, proposal: Proposal, publish: (draft: string) => void): void {
  const draft = `${file}.${randomUUID()}`;
  try {
    writeFileSync(draft, writeProposal(proposal), { flag: 'wx', mode: 0o600 });
    publish(draft);
  } catch (error) {
    rmSync(draft, { force: true });
    if (error instanceof StopError) throw error;
    throw new StopError({ code: 'proposal_unwritable', message: `${file} cannot be written (${codeOf(error)})` });
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown';
}
