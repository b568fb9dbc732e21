import { minorUnits } from '../../../platform/money.ts';
import { addressLengths, addressLines, type PostalAddress } from '../../../platform/settings/postal-address.ts';
import { type BankCalendar, bankTime, businessDay } from '../../bank-calendar.ts';
import type { BatchHeader, RailPayment } from '../../rail.ts';
import { isCreditorReference, nationalReference } from '../creditor-reference.ts';
import { amountText } from './amount.ts';
import { maxLengths, sepaText } from './characters.ts';
import { type Elements, renderMessage } from './xml-writer.ts';

const namespace = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** The account that payments are made from, and when its bank works. */
export interface Debtor {
  name: string;
  address: PostalAddress | undefined;
  iban: string;
  bic: string;
  calendar: BankCalendar;
}

/**
 * A pain.001.001.09 message (customer credit transfer initiation) with one payment instruction, for payments of one
 * currency: SEPA credit transfers in euro (EPC132-08), else non-urgent transfers (`NURG`) with shared charges. The same
 * input gives the same text.
 *
 * Each payment is booked singly (`BtchBookg` false), so that a statement lists it with its EndToEndId.
 */
export function composePain001(payments: readonly RailPayment[], debtor: Debtor, { messageId, createdAt }: BatchHeader): string {
  const currency = payments[0]?.currency ?? '';
  const isSepa = currency === 'eur';
  const sum = minorUnits(payments.reduce((total, { amount }) => total + amount, 0n));
  const totals = { NbOfTxs: String(payments.length), CtrlSum: amountText(sum, currency) };
  const payer = { Nm: nameOf(debtor.name) };
  return renderMessage(namespace, {
    CstmrCdtTrfInitn: {
      GrpHdr: { MsgId: messageId, CreDtTm: bankTime(createdAt, debtor.calendar), ...totals, InitgPty: payer },
      PmtInf: {
        PmtInfId: messageId,
        PmtMtd: 'TRF',
        BtchBookg: 'false',
        ...totals,
        PmtTpInf: { SvcLvl: { Cd: isSepa ? 'SEPA' : 'NURG' } },
        ReqdExctnDt: { Dt: businessDay(createdAt, currency, debtor.calendar) },
        Dbtr: { ...payer, PstlAdr: addressOf(debtor.address) },
        DbtrAcct: { Id: { IBAN: debtor.iban } },
        DbtrAgt: { FinInstnId: { BICFI: debtor.bic } },
        ChrgBr: isSepa ? 'SLEV' : 'SHAR',
        CdtTrfTxInf: payments.map((payment) => transactionOf(payment, isSepa)),
      },
    },
  });
}

const executionDay = /(<ReqdExctnDt>\s*<Dt>)(\d{4}-\d{2}-\d{2})(<\/Dt>)/;

/** A message as it is handed to the bank at a time: one that waited has a day on which the bank can still carry it out. */
export function datedPain001(content: string, at: Date, calendar: BankCalendar): string {
  const currency = /<InstdAmt Ccy="([A-Z]{3})"/.exec(content)?.[1]?.toLowerCase() ?? '';
  const day = businessDay(at, currency, calendar);
  return content.replace(
    executionDay,
    (_, before: string, planned: string, after: string) => `${before}${day > planned ? day : planned}${after}`,
  );
}

/** `CdtTrfTxInf`. */
function transactionOf(payment: RailPayment, isSepa: boolean): Elements {
  const { endToEndId, amount, currency, creditorName, creditorIban, creditorCountry, creditorAddress } = payment;
  // Outside of SEPA the country alone helps to route.
  const country = !isSepa && /^[A-Z]{2}$/.test(creditorCountry ?? '') ? creditorCountry : undefined;
  return {
    PmtId: { InstrId: endToEndId, EndToEndId: endToEndId },
    Amt: { InstdAmt: { text: amountText(amount, currency), currency: currency.toUpperCase() } },
    Cdtr: { Nm: nameOf(creditorName), PstlAdr: addressOf(creditorAddress), CtryOfRes: country ?? undefined },
    CdtrAcct: { Id: { IBAN: creditorIban } },
    RmtInf: remittanceOf(payment),
  };
}

/** The mandatory name of a party; without one, `NOTPROVIDED` (EPC132-08). */
function nameOf(name: string): string {
  return sepaText(name, maxLengths.name) || 'NOTPROVIDED';
}

/** `PstlAdr`, structured or hybrid: the free lines, if there are any, come last. */
function addressOf(address: PostalAddress | null | undefined): Elements | undefined {
  if (!address) return undefined;
  const { lines = [], country } = address;
  const part = (name: keyof typeof addressLengths) => sepaText(address[name] ?? '', addressLengths[name]) || undefined;
  return {
    StrtNm: part('street'),
    BldgNb: part('buildingNumber'),
    PstCd: part('postalCode'),
    TwnNm: part('city'),
    CtrySubDvsn: part('countryState'),
    Ctry: country,
    AdrLine: lines.map((line) => sepaText(line, addressLines.length)).filter((line) => line !== ''),
  };
}

/**
 * `RmtInf`: the creditor reference in the structured field, else the text in the unstructured field; SEPA allows only one of the two. A
 * reference is one of ISO 11649 or one that the payee's country defines, both known by their check digits, also where it stands as the memo.
 * Any other is sent as text, because a bank may refuse the payment for it.
 */
function remittanceOf({ remittance, structuredReference, creditorIban }: RailPayment): Elements | undefined {
  const reference = structuredReference?.trim() || (remittance?.trim() ?? '');
  const compact = reference.replace(/\s/g, '').toUpperCase();
  const known = isCreditorReference(compact) ? { value: compact, issuer: 'ISO' } : nationalReference(reference, creditorIban);
  // `SCOR` is the only type in SEPA.
  if (known !== undefined) return { Strd: { CdtrRefInf: { Tp: { CdOrPrtry: { Cd: 'SCOR' }, Issr: known.issuer }, Ref: known.value } } };
  const text = sepaText(reference, maxLengths.remittance);
  return text === '' ? undefined : { Ustrd: text };
}
