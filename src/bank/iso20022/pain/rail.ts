import { getCountrySpecifications, isValidIBAN } from 'ibantools';
import { StopError } from '../../../platform/errors.ts';
import { type Settings, settingVariable } from '../../../platform/settings.ts';
import { payeeProblem } from '../../payee.ts';
import type { Rail, RailPayment } from '../../rail.ts';
import { composePain001 } from './pain-001.ts';
import { amountProblem } from './amount.ts';
import { writeAtomically } from './outbox.ts';

export type IsoRailSettings = Pick<Settings, 'bankOutbox' | 'bankAccount' | 'bankAccountName' | 'bankBic' | 'bankFileSeconds'>;

/** Payments in one file: a megabyte, which every bank's channel takes. */
const fileLimit = 1_000;

/** Countries that joined SEPA after the table of `ibantools` was made (EPC409-09, since 2024). */
const joinedSince = new Set(['AL', 'MD', 'ME', 'MK', 'RS']);

/**
 * Writes payments as pain.001.001.09 files into the outbox, from which the bank's channel takes them; the bank answers
 * by pain.002 files and by the statement. Throws `bank_rail_incomplete` for settings that do not suffice.
 */
export function createIsoRail(settings: IsoRailSettings): Rail {
  const { bankOutbox: outbox, bankAccount: iban, bankAccountName: name, bankBic: bic, bankFileSeconds: collectSeconds } = settings;
  if (outbox === undefined || iban === undefined || name === undefined) {
    const needed = ['bankOutbox', 'bankAccount', 'bankAccountName'] as const;
    const missing = needed.filter((key) => settings[key] === undefined).map(settingVariable);
    throw incomplete(missing, `${missing.join(', ')} must be set to make payments`);
  }
  if (!isValidIBAN(iban)) throw incomplete(['BANK_ACCOUNT'], `BANK_ACCOUNT: ${iban} is not a valid IBAN`);
  return {
    name: 'iso20022',
    limit: fileLimit,
    collectSeconds,
    plan(payments, batch) {
      const problems = payments.map((payment) => ({ payment, reason: problemOf(payment) }));
      const refused = problems.flatMap(({ payment: { id }, reason }) => (reason === undefined ? [] : [{ id, reason }]));
      const good = problems.flatMap(({ payment, reason }) => (reason === undefined ? [payment] : []));
      const [first] = good;
      if (first === undefined) return { accepted: [], refused, sent: [] };
      const time = batch.createdAt.toISOString().slice(0, 19).replace(/[-:]/g, '');
      const file = {
        name: `pain.001-${time}-${first.currency}-${batch.messageId}.xml`,
        content: composePain001(good, { name, iban, bic }, batch),
      };
      return { accepted: [], refused, sent: good.map(({ id }) => id), file };
    },
    deliver: (file) => writeAtomically(outbox, file),
  };
}

/** Why a payment cannot be written, in the words a bank would refuse it with (ISO external status reason codes). */
function problemOf({ currency, amount, creditorIban }: RailPayment): string | undefined {
  const problem = payeeProblem(creditorIban) ?? amountProblem(amount, currency);
  if (problem !== undefined || currency !== 'eur' || isSepaCountry(creditorIban.slice(0, 2))) return problem;
  return `AG03 transaction type not supported: ${creditorIban.slice(0, 2)} is not in SEPA, and euro are sent by SEPA only`;
}

function isSepaCountry(country: string): boolean {
  return getCountrySpecifications()[country]?.SEPA === true || joinedSince.has(country);
}

function incomplete(names: string[], message: string): StopError {
  return new StopError({ code: 'bank_rail_incomplete', message, fields: Object.fromEntries(names.map((name) => [name, message])) });
}
