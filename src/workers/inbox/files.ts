import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../platform/errors.ts';

/** A file as it was listed. `seen` is its size, time and inode: when it changes, somebody still writes the file. */
export interface InboxFile {
  name: string;
  path: string;
  seen: string;
  /** Why it cannot be looked at. */
  problem?: string;
}

/** The folder a file is moved to: `done` when it was applied now or before, `failed` when it cannot be applied. */
export type Ending = 'done' | 'failed';

/** Names of files that are still being written, by convention, and of what no bank sends. */
const ignored = /^\.|\.(part|tmp|report\.json)$/i;

/** Makes sure that files can be taken out of the folder, which it never makes itself. Throws what the file system says. */
export async function prepareInbox(folder: string): Promise<void> {
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const ending of ['done', 'failed'] satisfies Ending[]) {
    // Not `recursive`: that would make the folder again when it has just gone, and hide that it is no longer mounted.
    await mkdir(path.join(folder, ending)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    // The slash at the end asks for a folder.
    await access(path.join(folder, ending, '/'), constants.W_OK | constants.X_OK);
  }
}

/** The files in the folder, by name. One that cannot be looked at keeps no other from being read. */
export async function listInbox(folder: string): Promise<InboxFile[]> {
  const names = (await readdir(folder)).filter((name) => !ignored.test(name)).sort();
  const files = await Promise.all(names.map((name) => lookAtNamed(folder, name)));
  return files.filter((file) => file !== undefined);
}

async function lookAtNamed(folder: string, name: string): Promise<InboxFile | undefined> {
  const file = path.join(folder, name);
  const unseen = (problem: string): InboxFile => ({ name, path: file, seen: '', problem });
  const seen = await lookAt(file).catch((error: unknown) => unseen(messageOf(error)));
  // Node gives a name that is not UTF-8 with this character, and finds no file under it.
  return seen ?? (name.includes('\uFFFD') ? unseen('its name is not UTF-8: rename it') : undefined);
}

/** A file as it is now; undefined when it is gone or no file. */
export async function lookAt(file: string): Promise<InboxFile | undefined> {
  const stats = await stat(file, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    // A link that leads to itself is no file either: one must not keep the others from being read.
    if (error.code === 'ENOENT' || error.code === 'ELOOP') return undefined;
    throw error;
  });
  if (!stats?.isFile()) return undefined;
  const seen = `${stats.size} ${stats.mtimeNs} ${stats.ino}`;
  return { name: path.basename(file), path: file, seen };
}

/**
 * Moves a file to where it ends, with its report beside it. The report comes first, so that a crash between the two
 * leaves the file to be looked at again. Another worker may have moved it: that is as good.
 */
export async function moveWithReport(file: InboxFile, ending: Ending, report: { hash?: string }): Promise<string> {
  const folder = path.join(path.dirname(file.path), ending);
  const target = await freeName(path.join(folder, shortened(file.name)), file, report.hash);
  // Not the process id: two containers that share a folder may both be process 1.
  const draft = path.join(folder, `.${randomUUID()}.tmp`);
  await writeFile(draft, `${JSON.stringify(report, null, 2)}\n`);
  await rename(draft, `${target}.report.json`);
  await rename(file.path, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    // It stands under another name there, with the other worker's report.
    if ((await lookAt(target)) === undefined) await rm(`${target}.report.json`, { force: true });
  });
  return target;
}

/** Bytes of the longest name that leaves room for what {@link freeName} and the report add: a file system takes 255. */
const longestName = 255 - '-01234567'.length - '.report.json'.length;

/** A name that is too long for its report loses the end of what stands before its extension. */
function shortened(fileName: string): string {
  if (Buffer.byteLength(fileName) <= longestName) return fileName;
  const { name, ext } = path.parse(fileName);
  // A name that ended like that of a report would be taken for one.
  const end = Buffer.byteLength(ext) > 20 ? '.cut' : ext;
  // `stream`: a character that is cut in its middle is left out.
  const start = new TextDecoder().decode(Buffer.from(name).subarray(0, longestName - Buffer.byteLength(end)), { stream: true });
  return start + end;
}

/** Banks reuse names: an earlier file of the name stays, and the new one gets a suffix made from its content. */
async function freeName(target: string, { seen }: InboxFile, hash: string | undefined): Promise<string> {
  if ((await lookAt(target)) === undefined) return target;
  const { dir, name, ext } = path.parse(target);
  const mark = hash ?? createHash('sha256').update(seen).digest('hex');
  return path.join(dir, `${name}-${mark.slice(0, 8)}${ext}`);
}
