import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The folder from which a bank takes payment files. */
export interface BankFolder {
  /** The EndToEndId of each payment in its files. */
  payments(): string[];
  /** It is not there. */
  goAway(): void;
  /** It is one of a file system that is read-only. */
  becomeReadOnly(): void;
  /** It is one of a file system that is full. */
  becomeFull(): void;
  /** It is as before. */
  comeBack(): void;
}

export function createBankFolder(folder: string): BankFolder {
  const aside = `${folder}.aside`;
  let isCovered = false;
  const cover = (options: string): void => {
    mount(folder, options);
    isCovered = true;
  };
  return {
    payments() {
      const current = existsSync(aside) ? aside : folder;
      const files = readdirSync(current).filter((name) => name.endsWith('.xml'));
      return files.flatMap((name) => readFileSync(path.join(current, name), 'utf8').match(/(?<=<EndToEndId>)[^<]+/g) ?? []);
    },
    goAway: () => renameSync(folder, aside),
    becomeReadOnly: () => cover('ro'),
    becomeFull() {
      cover('size=4k');
      writeFileSync(path.join(folder, 'full'), Buffer.alloc(4_096));
    },
    comeBack() {
      if (existsSync(aside)) renameSync(aside, folder);
      if (isCovered) unmount(folder);
      isCovered = false;
    },
  };
}

/** Covers a folder by a file system of its own. */
function mount(folder: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', folder], { stdio: 'ignore' });
}

function unmount(folder: string): void {
  // Lazy: a process may just be looking into it.
  execFileSync('umount', ['--lazy', folder], { stdio: 'ignore' });
}

/** Whether this user may do that: root can, also in most containers that have the privilege. */
export function canMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-mount-'));
  try {
    mount(folder, 'ro');
    unmount(folder);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
