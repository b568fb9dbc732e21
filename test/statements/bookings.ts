import type { Explanation } from '../../src/ledger/bank/debits/unexplained-debits.ts';
import { explainDebit } from '../../src/ledger/bank/debits/explain-debit.ts';
import { readBalances } from '../../src/ledger/book/balances.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import type { StatementReport } from '../../src/statements/statement-report.ts';
import { stream } from '../bank/iso20022/camt/reading.ts';
import { type EntrySpec, masterIban, type StatementSpec, statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { type PaymentsLedger, randomHash } from '../ledger/bank/payments-ledger.ts';
import { creditOptions as options } from './bank-rail.ts';

/** The IBAN of no customer. */
export const unassigned = 'NL56AGDH9619008421';

export const operatorsDecision = { reason: 'the bank says so', operator: 'jane' };

/** What tests of statements of the account `masterIban` do with a ledger of payments. */
export function bookings(at: PaymentsLedger) {
  return {
    /** Imports a statement with an id of its own. */
    book: async (entries: EntrySpec[], more: StatementSpec = {}) => {
      const report = await importBankFile(at.ledger, {
        name: 'statement.xml',
        chunks: stream([statementXml({ entries, id: randomHash().slice(2, 20), ...more })]),
        options,
      });
      return report as StatementReport;
    },
    /** Imports a file of several statements. */
    bookAll: async (statements: EntrySpec[][]) => {
      const texts = statements.map((entries) => statementXml({ entries, id: randomHash().slice(2, 20) }));
      const more = texts.slice(1).map((text) => text.slice(text.indexOf('<Stmt>'), text.indexOf('</BkToCstmrStmt>')));
      const text = (texts[0] ?? '').replace('</BkToCstmrStmt>', `${more.join('')}</BkToCstmrStmt>`);
      return (await importBankFile(at.ledger, { name: 'statements.xml', chunks: stream([text]), options })) as StatementReport;
    },
    /** An operator explains the debit of a bank reference. */
    explain: (reference: string, explanation: Explanation) =>
      explainDebit(at.ledger, `${masterIban}:${reference}`, { explanation, ...operatorsDecision }),
    creditOf: (reference: string) => at.credit(`${masterIban}:${reference}`),
    debitState: async () => (await at.ledger.selectFrom('bankDebits').select('state').executeTakeFirstOrThrow()).state,
    /** What the book holds besides the bank itself, which is opened by the balance of the first statement. */
    balances: async () =>
      Object.fromEntries(
        (await readBalances(at.ledger)).flatMap(({ account, amount }) =>
          amount === 0n || account.startsWith('assets:bank:') || account === 'equity:openings' ? [] : [[account, amount]],
        ),
      ),
  };
}
