import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { bankAccount } from '../../src/ledger/book/accounts.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { formatAmount, type MinorUnits, minorUnits } from '../../src/platform/money.ts';
import { unmatchedCredits } from '../../src/operations/bank/credit-view.ts';
import { readView } from '../../src/operations/view.ts';
import { creditOptions } from '../../src/statements/credit-options.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { withLedger } from '../../src/cli/with-ledger.ts';
import { accountOf, type DemoContext, followOrder } from './shared-steps.ts';

/** The payment, in minor units of EUR. */
const amount = minorUnits(40_00n);

/** Unmatched credits that are looked through for that of the demo. */
const mostUnmatched = 1_000;

/** The bank account of the demo's files. */
const account = 'NL91ABNA0417164300';

/** What the bank's files report. */
interface Payment {
  iban: string;
  /** Names the customer's address, wherever the IBAN leads. */
  remittance: string;
  endToEndId: string;
  day: string;
}

/** A bank reports one payment in two equal notifications. It becomes tokens once, and the second waits until the statement shows that it is one. */
export async function demonstrateRepeatedCredit(context: DemoContext, iban: string): Promise<void> {
  const { printer } = context;
  const run = randomUUID().slice(0, 8);
  const remittance = `${context.chains.home}:${accountOf(context, 0).address}`;
  const payment = { iban, remittance, endToEndId: `INVOICE-8-${run}`, day: new Date().toISOString().slice(0, 10) };

  await withLedger(async (ledger) => {
    const opening = await balanceInBook(ledger);
    printer.step('The bank reports a payment in two equal notifications: it becomes tokens once, and the second waits');
    for (const reference of [`${run}-1`, `${run}-2`])
      await importFile(context, ledger, `notification-${reference}`, notificationXml(reference, entryXml(payment)));
    const waiting = (await readView(unmatchedCredits, ledger, {}, mostUnmatched)).rows.find(
      ({ endToEndId }) => endToEndId === payment.endToEndId,
    );
    if (!waiting?.repeats) throw new Error('the second report does not wait as a suspected repeat');
    await followOrder(context, waiting.repeats.orderId as string);
    printer.fact('waits', `${waiting.reference}: ${waiting.reason}`);

    printer.step("The bank's statement lists one payment, which ends the second report");
    const balances = balanceXml('OPBD', opening, payment.day) + balanceXml('CLBD', minorUnits(opening + amount), payment.day);
    await importFile(context, ledger, `statement-${run}`, statementXml(run, balances + entryXml(payment, `${run}-1`)));
    const left = (await readView(unmatchedCredits, ledger, {}, mostUnmatched)).rows.find(
      ({ reference }) => reference === waiting.reference,
    );
    if (left !== undefined) throw new Error('the second report still waits');
    printer.fact('repeated', `${waiting.reference} is the money of ${waiting.repeats.reference}`);
  });
}

/** What earlier demos have left on the account. */
async function balanceInBook(ledger: Ledger): Promise<MinorUnits> {
  const balances = await readBalances(ledger);
  return balances.find((balance) => balance.account === bankAccount(account) && balance.currency === 'eur')?.amount ?? minorUnits(0n);
}

/** Imports a file of the bank as `mintrail bank import` does. */
async function importFile({ printer }: DemoContext, ledger: Ledger, id: string, xml: string): Promise<void> {
  const settings = cliSettings();
  const name = `${id}.xml`;
  const report = await importBankFile(ledger, { name, chunks: Readable.from([xml]), options: creditOptions(settings), settings });
  if (!('sums' in report)) throw new Error(`${name} was not applied`);
  const { issued, unmatched, known } = report.counts;
  printer.fact('imported', `${name}: ${issued} issued, ${unmatched} unmatched, ${known} known before`);
}

function notificationXml(id: string, content: string): string {
  return fileXml('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', `<Ntfctn>${accountXml(id)}${content}</Ntfctn>`);
}

function statementXml(id: string, content: string): string {
  return fileXml('camt.053.001.08', 'BkToCstmrStmt', `<Stmt>${accountXml(id)}${content}</Stmt>`);
}

function fileXml(message: string, root: string, content: string): string {
  const header = `<GrpHdr><MsgId>${randomUUID().slice(0, 8)}</MsgId><CreDtTm>${new Date().toISOString()}</CreDtTm></GrpHdr>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"><${root}>${header}${content}</${root}></Document>`;
}

function accountXml(id: string): string {
  return `<Id>${id}</Id><CreDtTm>${new Date().toISOString()}</CreDtTm><Acct><Id><IBAN>${account}</IBAN></Id></Acct>`;
}

function balanceXml(code: 'OPBD' | 'CLBD', balance: MinorUnits, day: string): string {
  return `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">${formatAmount(balance)}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>${day}</Dt></Dt></Bal>`;
}

/** The booking of the payment, under a reference of the bank if it gives one. */
function entryXml({ iban, remittance, endToEndId, day }: Payment, reference?: string): string {
  const money = `<Amt Ccy="EUR">${formatAmount(amount)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
  const numbered = reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
  const payer = '<Dbtr><Pty><Nm>Jón Jónsson</Nm></Pty></Dbtr><DbtrAcct><Id><IBAN>IS140159260076545510730339</IBAN></Id></DbtrAcct>';
  return `<Ntry>${money}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${day}</Dt></BookgDt>${numbered}
  <BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>
  <NtryDtls><TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs>${money}
    <RltdPties>${payer}<CdtrAcct><Id><IBAN>${iban}</IBAN></Id></CdtrAcct></RltdPties>
    <RmtInf><Ustrd>${remittance}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry>`;
}
