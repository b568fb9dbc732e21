import { entryXml, masterIban, payerIban } from './statement-xml.ts';

/** A statement of many entries as a stream that never exists as a whole. Every other entry has no reference of the bank. */
export async function* largeStatement(entries: number): AsyncGenerator<Buffer> {
  yield Buffer.from(
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Id>S</Id><Acct><Id><IBAN>${masterIban}</IBAN></Id></Acct>`,
  );
  for (let number = 0; number < entries; number += 1) {
    const transaction = {
      refs: { EndToEndId: `E2E-${number}` },
      payer: { name: `Payer ${number}`, iban: payerIban, address: '12 St James Square, London' },
      ustrd: [`gnosis:0x${number.toString(16).padStart(40, '0')}`],
    };
    const entry = { amount: '10.00', transactions: [transaction], ...(number % 2 === 0 && { reference: `REF-${number}` }) };
    yield Buffer.from(entryXml(entry, '08'));
  }
  yield Buffer.from('</Stmt></BkToCstmrStmt></Document>');
}
