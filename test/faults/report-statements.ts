import { setTimeout as delay } from 'node:timers/promises';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { createLedger } from '../../src/ledger/ledger.ts';
import { wakesNobody } from '../../src/ledger/wake-ups.ts';
import { statementConnection } from '../../src/platform/postgres/connections.ts';
import { createPool } from '../../src/platform/database.ts';
import { creditOptions } from '../../src/statements/credit-options.ts';
import { importBankFile } from '../../src/statements/import-file.ts';
import { statementXml } from '../bank/iso20022/camt/statement-xml.ts';
import { bytes, payment } from '../statements/bank-rail.ts';
import type { Holders } from './holders.ts';
import { insist } from '../scenarios/insist.ts';

/** Imports so many statements of a bank account, one every two seconds: each has a credit of 5.00 for a holder, and continues the balance of the one before. */
export async function reportStatements(dataDir: string, { iban, keys }: Holders, count: number): Promise<void> {
  const settings = cliSettings({ MINTRAIL_DATA_DIR: dataDir });
  const ledger = createLedger(createPool({ ...statementConnection(settings), max: 1 }), wakesNobody);
  const day = new Date().toISOString().slice(0, 10);
  try {
    for (let number = 1; number <= count; number += 1) {
      const transaction = payment(iban, '5.00', { refs: { EndToEndId: `E${number}` }, ustrd: [`chiado:${keys[0]?.address}`] });
      const xml = statementXml({
        id: `S${number}`,
        sequence: number,
        day,
        opening: `${(number - 1) * 5}.00`,
        closing: `${number * 5}.00`,
        entries: [{ amount: '5.00', bookedOn: day, reference: `B${number}`, transactions: [transaction] }],
      });
      const file = () => ({ name: `statement-${number}.xml`, chunks: bytes(xml), options: creditOptions(settings), settings });
      await insist(() => importBankFile(ledger, file()));
      await delay(2_000);
    }
  } finally {
    await ledger.destroy();
  }
}
