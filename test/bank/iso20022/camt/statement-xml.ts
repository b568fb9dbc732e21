/** Versions that differ in shape: 02 is flat, 08 nests statuses and parties and has amounts at transactions. */
export const versions = ['02', '08'] as const;
export const messages = ['camt.053', 'camt.054'] as const;
export type Version = (typeof versions)[number];
type Message = (typeof messages)[number];

export interface TransactionSpec {
  /** `Refs`, in the order of the schema. */
  refs?: Record<string, string>;
  amount?: string;
  /** `InstdAmt`. */
  instructed?: string;
  currency?: string;
  /** Version 08 only: version 02 has none. */
  direction?: string;
  /** Family and sub-family of the payment domain. */
  code?: [string, string];
  charges?: string;
  payer?: { name?: string; iban?: string; address?: string };
  creditorIban?: string;
  ustrd?: string[];
  structured?: string;
  returnReason?: string;
  info?: string;
  /** Replaces `RltdPties`. */
  parties?: string;
  /** Replaces `RmtInf`. */
  remittance?: string;
}

export interface EntrySpec {
  amount?: string;
  currency?: string;
  direction?: string;
  status?: string;
  reversal?: boolean;
  bookedOn?: string;
  /** Replaces the day: a time, with an offset. */
  bookedAt?: string;
  reference?: string;
  /** `NtryRef`. */
  name?: string;
  /** Charges of the entry, in its currency. */
  charges?: string;
  code?: [string, string];
  /** `NbOfTxs` of a batch. */
  batch?: string;
  /** `PmtInfId` of a batch. */
  batchOf?: string;
  detailsIn?: string;
  transactions?: TransactionSpec[];
  info?: string;
}

export interface StatementSpec {
  version?: Version;
  message?: Message;
  id?: string;
  /** Content of `Acct`. */
  account?: string;
  page?: { number: number; last: boolean };
  sequence?: number;
  /** Balances of the statement, negative for a debit; `closing` is 0.00 by default, and none where it is empty. */
  opening?: string;
  closing?: string;
  /** The day of the statement, and the days of `FrToDt`. */
  day?: string;
  from?: string;
  to?: string;
  currency?: string;
  /** Content of `TxsSummry`. */
  summary?: string;
  entries?: EntrySpec[];
}

export const masterIban = 'NL26VAYB8060476890';
export const virtualIban = 'NL56AGDH9619008421';
export const payerIban = 'DE89370400440532013000';

/** A whole message of one statement, valid against the schema of its version as far as the spec is. */
export function statementXml(spec: StatementSpec): string {
  const { version = '08', message = 'camt.053' } = spec;
  const root = message === 'camt.053' ? 'BkToCstmrStmt' : 'BkToCstmrDbtCdtNtfctn';
  const header = el('GrpHdr', el('MsgId', 'M1') + el('CreDtTm', '2026-11-20T18:00:00Z'));
  const body = el(root, header + oneStatement(spec, version, message));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}.001.${version}">${body}</Document>`;
}

function oneStatement(spec: StatementSpec, version: Version, message: Message): string {
  const isStatement = message === 'camt.053';
  const { id = 'S1', account = el('Id', el('IBAN', masterIban)), page, summary, entries = [] } = spec;
  const pagination = page
    ? el(isStatement ? 'StmtPgntn' : 'NtfctnPgntn', el('PgNb', `${page.number}`) + el('LastPgInd', `${page.last}`))
    : '';
  const balances = balanceXml('OPBD', spec.opening, spec) + balanceXml('CLBD', spec.closing ?? '0', spec);
  return el(
    isStatement ? 'Stmt' : 'Ntfctn',
    el('Id', id) +
      pagination +
      el('ElctrncSeqNb', spec.sequence?.toString()) +
      el('CreDtTm', '2026-11-20T18:00:00Z') +
      (spec.from === undefined ? '' : el('FrToDt', el('FrDtTm', `${spec.from}T00:00:00`) + el('ToDtTm', `${spec.to}T23:59:59`))) +
      el('Acct', account) +
      (isStatement ? balances : '') +
      el('TxsSummry', summary) +
      entries.map((entry) => entryXml(entry, version)).join('\n'),
  );
}

function balanceXml(code: string, amount: string | undefined, { day = '2026-11-20', currency }: StatementSpec): string {
  if (amount === undefined || amount === '') return '';
  const direction = amount.startsWith('-') ? 'DBIT' : 'CRDT';
  const type = el('Tp', el('CdOrPrtry', el('Cd', code)));
  return el('Bal', type + amountOf(amount.replace('-', ''), currency) + el('CdtDbtInd', direction) + el('Dt', el('Dt', day)));
}

export function entryXml(entry: EntrySpec, version: Version): string {
  const { amount = '100.00', currency = 'EUR', direction = 'CRDT', status = 'BOOK', bookedOn = '2026-11-20' } = entry;
  const batch = entry.batch === undefined ? '' : el('Btch', el('PmtInfId', entry.batchOf) + el('NbOfTxs', entry.batch));
  const details = (entry.transactions ?? []).map((transaction) => transactionXml(transaction, version, currency)).join('');
  return el(
    'Ntry',
    el('NtryRef', entry.name) +
      amountOf(amount, currency) +
      el('CdtDbtInd', direction) +
      el('RvslInd', entry.reversal === undefined ? undefined : `${entry.reversal}`) +
      el('Sts', version === '02' || status.startsWith('<') ? status : el('Cd', status)) +
      el('BookgDt', entry.bookedAt === undefined ? el('Dt', bookedOn) : el('DtTm', entry.bookedAt)) +
      el('AcctSvcrRef', entry.reference) +
      bankCode(entry.code ?? ['RCDT', 'ESCT']) +
      (entry.detailsIn === undefined ? '' : el('AddtlInfInd', el('MsgNmId', entry.detailsIn))) +
      chargesXml(entry.charges, version, currency) +
      (batch + details === '' ? '' : el('NtryDtls', batch + details)) +
      el('AddtlNtryInf', entry.info),
  );
}

function transactionXml(transaction: TransactionSpec, version: Version, entryCurrency: string): string {
  const { refs = {}, amount, currency = entryCurrency, direction, code, charges, payer = {}, creditorIban, ustrd = [] } = transaction;
  const amountXml = amount === undefined ? '' : amountOf(amount, currency);
  const instructed = transaction.instructed === undefined ? '' : el('InstdAmt', amountOf(transaction.instructed, currency));
  const direct =
    version === '02'
      ? el('AmtDtls', instructed + (amountXml && el('TxAmt', amountXml)))
      : amountXml + el('CdtDbtInd', direction) + el('AmtDtls', instructed);
  const party = el('Nm', payer.name) + el('PstlAdr', el('AdrLine', payer.address));
  const parties =
    transaction.parties ??
    el('Dbtr', version === '02' ? party : el('Pty', party)) +
      el('DbtrAcct', el('Id', el('IBAN', payer.iban))) +
      el('CdtrAcct', el('Id', el('IBAN', creditorIban)));
  const structured = transaction.structured === undefined ? '' : el('Strd', el('CdtrRefInf', el('Ref', transaction.structured)));
  const references = Object.entries(refs).map(([name, value]) => el(name, value));
  return el(
    'TxDtls',
    el('Refs', references.join('')) +
      direct +
      (code === undefined ? '' : bankCode(code)) +
      chargesXml(charges, version, currency) +
      el('RltdPties', parties) +
      el('RmtInf', transaction.remittance ?? ustrd.map((line) => el('Ustrd', line)).join('') + structured) +
      el('RtrInf', el('Rsn', el('Cd', transaction.returnReason))) +
      el('AddtlTxInf', transaction.info),
  );
}

function chargesXml(charges: string | undefined, version: Version, currency: string): string {
  if (charges === undefined) return '';
  const charge = amountOf(charges, currency) + el('CdtDbtInd', 'DBIT');
  return el('Chrgs', version === '02' ? charge : el('Rcrd', charge));
}

/** An element; none at all without content. Content that begins with `<` is markup, else text. */
export function el(name: string, content: string | undefined): string {
  if (content === undefined || content === '') return '';
  const isMarkup = content.startsWith('<') && content.endsWith('>');
  return `<${name}>${isMarkup ? content : escapeText(content)}</${name}>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function amountOf(amount: string, currency = 'EUR'): string {
  return `<Amt Ccy="${currency}">${amount}</Amt>`;
}

function bankCode([family, subFamily]: [string, string]): string {
  return el('BkTxCd', el('Domn', el('Cd', 'PMNT') + el('Fmly', el('Cd', family) + el('SubFmlyCd', subFamily))));
}
