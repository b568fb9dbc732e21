import path from 'node:path';
import { isValidIBAN } from 'ibantools';
import { StopError } from '../../../platform/errors.ts';
import { payingAccount, type Settings, settingVariable } from '../../../platform/settings.ts';
import { currencies } from '../../../platform/money.ts';
import { refusalOfPayment } from '../../payment-rules.ts';
import type { Rail, PaymentFile } from '../../rail.ts';
import { composePain001, datedPain001 } from './pain-001.ts';
import { randomBytes } from 'node:crypto';
import { access, constants, open, rename, statfs, unlink, writeFile } from 'node:fs/promises';

/** What the rail of payment files needs: the outbox, the account that pays and its bank, and how long payments are collected. */
export type IsoRailSettings = Pick<
  Settings,
  | 'bankOutbox'
  | 'bankAccounts'
  | 'bankAccountName'
  | 'bankAccountAddress'
  | 'bankBic'
  | 'bankFileSeconds'
  | 'paymentLimits'
  | 'addressParts'
  | 'bankTimeZone'
  | 'bankHolidays'
>;

/** Most payments in one file: they make about a megabyte, which every bank's channel accepts. */
const maxPaymentsPerFile = 1_000;

/**
 * The rail that writes payments as pain.001.001.09 files into the outbox folder, from which the bank's channel takes
 * them. The bank answers with pain.002 files and with statements. Throws `invalid_settings` for settings that are
 * missing or invalid.
 */
export function createIsoRail(settings: IsoRailSettings): Rail {
  const { bankOutbox: outbox, bankAccounts: accounts, bankAccountName: name, bankAccountAddress: address, bankBic: bic } = settings;
  const calendar = { timeZone: settings.bankTimeZone, holidays: settings.bankHolidays };
  if (outbox === undefined || accounts.length === 0 || name === undefined || bic === undefined) {
    const needed = ['bankOutbox', 'bankAccounts', 'bankAccountName', 'bankBic'] as const;
    const missing = needed.filter((key) => settings[key] === undefined || settings[key].length === 0).map(settingVariable);
    throw incompleteSettings(missing, `${missing.join(', ')} must be set to make payments`);
  }
  const noIban = accounts.find(({ account }) => !isValidIBAN(account));
  if (noIban) throw incompleteSettings(['BANK_ACCOUNT'], `BANK_ACCOUNT: ${noIban.account} is not a valid IBAN`);
  const parts = currencies.flatMap((currency) => settings.addressParts[currency] ?? []).filter((part) => address?.[part] === undefined);
  if (parts.length > 0) {
    const text = `BANK_ACCOUNT_ADDRESS has no ${[...new Set(parts)].join(', ')}, which BANK_ADDRESS_PARTS says that payments need`;
    throw incompleteSettings(['BANK_ACCOUNT_ADDRESS'], text);
  }
  return {
    name: 'iso20022',
    limit: maxPaymentsPerFile,
    collectSeconds: settings.bankFileSeconds,
    plan(payments, batch) {
      const reasons = payments.map((payment) => refusalOfPayment(payment, settings));
      const refused = payments.flatMap(({ id }, index) => (reasons[index] === undefined ? [] : [{ id, reason: reasons[index] }]));
      const payable = payments.filter((_, index) => reasons[index] === undefined);
      const [first] = payable;
      if (first === undefined) return { accepted: [], refused, sent: [] };
      const iban = payingAccount(accounts, first.currency);
      if (iban === undefined) throw incompleteSettings(['BANK_ACCOUNT'], `BANK_ACCOUNT has no account for ${first.currency}`);
      const time = batch.createdAt.toISOString().slice(0, 19).replace(/[-:]/g, '');
      const file = {
        name: `pain.001-${time}-${first.currency}-${batch.messageId}.xml`,
        content: composePain001(payable, { name, address, iban, bic, calendar }, batch),
      };
      return { accepted: [], refused, sent: payable.map(({ id }) => id), file };
    },
    date: (content, at) => datedPain001(content, at, calendar),
    deliver: (file) => writeAtomically(outbox, file),
    isReachable: () => isWritable(outbox),
  };
}

function incompleteSettings(names: string[], message: string): StopError {
  return new StopError({ code: 'invalid_settings', message, fields: Object.fromEntries(names.map((name) => [name, message])) });
}

/**
 * Writes a file whole or not at all, so that neither a crash nor a power cut leaves a part of it, or loses it afterwards:
 * under a hidden temporary name, flushed to disk, then renamed, and the folder flushed too. An existing file of the name
 * is replaced. Throws the file system's error.
 */
export async function writeAtomically(folder: string, { name, content }: PaymentFile): Promise<void> {
  const draft = path.join(folder, `.${name}.${randomBytes(4).toString('hex')}.tmp`);
  try {
    await writeFile(draft, content, { flag: 'wx', mode: 0o640, flush: true });
    await rename(draft, path.join(folder, name));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  await syncFolder(folder);
}

/** Room for some files of the most payments that one can have. */
const leastFreeBytes = 16 * 1024 * 1024;

/** Whether files can be written to a folder: it exists, this user may write there, and its file system is neither read-only nor full. */
export async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(path.join(folder, '.'), constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= leastFreeBytes;
  } catch {
    return false;
  }
}

/** A rename is only durable once the folder is. */
async function syncFolder(folder: string): Promise<void> {
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
