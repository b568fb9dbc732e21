import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Mail, MailTransport } from './mail.ts';
import type { Settings } from './settings.ts';
import { isUuid } from './uuid.ts';

/** Mails that the folder keeps: the newest ones. */
const mostKept = 500;

/** A mail that a sandbox caught instead of sending it. */
export interface CaughtMail extends Mail {
  /** RFC 3339. */
  sentAt: string;
}

type FolderSettings = Pick<Settings, 'dataDir'>;

/** Writes mails into the folder `mail` of the data folder, for a sandbox. A repetition replaces the first. */
export function createMailCatcher(settings: FolderSettings): MailTransport {
  const folder = folderOf(settings);
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const { id, recipient, subject, text } = mail;
      const caught: CaughtMail = { id, recipient, subject, text, sentAt: new Date().toISOString() };
      const file = path.join(folder, `${id}.json`);
      await writeFile(`${file}.new`, JSON.stringify(caught, null, 2), { mode: 0o600 });
      await rename(`${file}.new`, file);
      const all = await listCaughtMails(settings);
      for (const old of all.slice(mostKept)) await rm(path.join(folder, `${old.id}.json`), { force: true });
    },
  };
}

/** The mails in the folder, the newest first. */
export async function listCaughtMails(settings: FolderSettings): Promise<CaughtMail[]> {
  const names = await readdir(folderOf(settings)).catch(() => []);
  const mails = await Promise.all(names.filter((name) => name.endsWith('.json')).map((name) => readMail(settings, name)));
  return mails.filter((mail) => mail !== undefined).toSorted((first, second) => second.sentAt.localeCompare(first.sentAt));
}

/** One mail of the folder; `undefined` when there is none with this id. */
export async function findCaughtMail(settings: FolderSettings, id: string): Promise<CaughtMail | undefined> {
  return isUuid(id) ? readMail(settings, `${id.toLowerCase()}.json`) : undefined;
}

async function readMail(settings: FolderSettings, name: string): Promise<CaughtMail | undefined> {
  const text = await readFile(path.join(folderOf(settings), name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as CaughtMail);
}

function folderOf({ dataDir }: FolderSettings): string {
  return path.resolve(dataDir, 'mail');
}
