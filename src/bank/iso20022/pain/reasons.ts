/** Why a bank rejects or returns something: a code, and its own words. */
export interface StatusReason {
  code: string | undefined;
  text: string | undefined;
}

/** Names of frequent status reason codes (ISO 20022 external code sets, ExternalStatusReason1Code), for people to read. */
const names: Record<string, string> = {
  AC01: 'incorrect account number',
  AC03: 'invalid creditor account number',
  AC04: 'closed account number',
  AC06: 'blocked account',
  AC13: 'invalid debtor account type',
  AC14: 'invalid creditor account type',
  AG01: 'transaction forbidden',
  AG02: 'invalid bank operation code',
  AG03: 'transaction not supported',
  AM01: 'zero amount',
  AM02: 'not allowed amount',
  AM03: 'not allowed currency',
  AM04: 'insufficient funds',
  AM05: 'duplication',
  AM09: 'wrong amount',
  AM10: 'invalid control sum',
  AM12: 'invalid amount',
  AM18: 'invalid number of transactions',
  BE01: 'account and name do not match',
  BE04: 'missing creditor address',
  BE05: 'unrecognised initiating party',
  CH16: 'content formally incorrect',
  CNOR: 'creditor bank is not registered',
  CUST: 'requested by the customer',
  DNOR: 'debtor bank is not registered',
  DS04: 'order rejected',
  DT01: 'invalid date',
  DU01: 'duplicate message id',
  DU02: 'duplicate payment information id',
  DU03: 'duplicate transaction',
  DU04: 'duplicate end-to-end id',
  DU05: 'duplicate instruction id',
  ERIN: 'extended remittance information not supported',
  FF01: 'invalid file format',
  MD07: 'the payee is deceased',
  MS02: 'reason not specified by the customer',
  MS03: 'reason not specified by the bank',
  NARR: 'see text',
  RC01: 'incorrect bank identifier',
  RC04: 'invalid creditor bank identifier',
  RF01: 'not unique transaction reference',
  RR01: 'missing debtor account or identification',
  RR02: 'missing debtor name or address',
  RR03: 'missing creditor name or address',
  RR04: 'regulatory reason',
  RR10: 'invalid character set',
  TD01: 'technical problem with the file',
  TM01: 'invalid cut-off time',
};

/**
 * Reasons by which a bank rejects something as a duplicate of what it has already. The first is under way or was carried
 * out, so such a rejection says nothing about the payment itself.
 */
const duplicateCodes = new Set(['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05', 'RF01']);

/** Reasons of accounts, parties or amount: a payment that is rejected for nothing else, without further words, will not be paid. */
const certainCodes = new Set(
  'AC01 AC03 AC04 AC06 AC13 AC14 AM01 AM02 AM03 AM04 AM09 AM12 BE01 BE04 BE05 BE06 BE07 CNOR DNOR MD07 RC01 RC03 RC04 RR01 RR02 RR03'.split(
    ' ',
  ),
);

/**
 * Whether a reason of a rejection is certain to mean that the payment will not be paid. A text beside the code is not: in whichever
 * words, it may say that the bank has the payment already.
 */
export function isCertainReason({ code, text }: StatusReason): boolean {
  return text === undefined && certainCodes.has(code ?? '');
}

/** A reason for people to read, such as `AC04 closed account number: text`; `undefined` without code and text. */
export function reasonText({ code, text }: StatusReason): string | undefined {
  const name = code === undefined ? undefined : names[code];
  const head = name === undefined ? code : `${code} ${name}`;
  return head === undefined || text === undefined ? (head ?? text) : `${head}: ${text}`;
}

/** Whether a reason is that of a duplicate: by its code or, from banks with codes of their own, by its text. */
export function isDuplicateReason({ code, text }: StatusReason): boolean {
  return duplicateCodes.has(code ?? '') || /duplic/i.test(`${code ?? ''} ${text ?? ''}`);
}
