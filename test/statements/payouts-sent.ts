import { createIsoRail } from '../../src/bank/iso20022/pain/rail.ts';
import { createLog } from '../../src/platform/log.ts';
import { loadSettings } from '../../src/platform/settings.ts';
import { createPayoutTurn } from '../../src/workers/payouts.ts';
import { payerIban, type PaymentsLedger } from '../ledger/bank/payments-ledger.ts';

export interface SentPayout {
  order: string;
  burn: string;
  id: string;
  endToEndId: string;
}

/** Payouts that are in one file with the bank, and the file's message id. */
export async function sendPayouts(at: PaymentsLedger, count: number): Promise<{ messageId: string; payouts: SentPayout[] }> {
  const burnt = [];
  for (let one = 0; one < count; one += 1) burnt.push(await at.burnt());
  const settings = loadSettings({
    DATABASE_URL: at.url,
    BANK_OUTBOX: '/',
    BANK_ACCOUNT: payerIban,
    BANK_ACCOUNT_NAME: 'M',
    BANK_BIC: 'MNTRIS22',
    BANK_FILE_SECONDS: '0',
  });
  const rail = { ...createIsoRail(settings), deliver: async () => {} };
  await createPayoutTurn({ rail, ledger: at.ledger, log: createLog('silent') })();
  const rows = await at.ledger
    .selectFrom('payments as p')
    .innerJoin('legs as l', 'l.id', 'p.leg')
    .select(['p.id', 'p.file', 'l.orderId'])
    .execute();
  const payouts = burnt.map(({ order, burn }) => {
    const id = rows.find((row) => row.orderId === order)?.id ?? '';
    return { order, burn, id, endToEndId: id.replaceAll('-', '') };
  });
  at.woken.length = 0;
  return { messageId: rows.find(({ id }) => id === payouts[0]?.id)?.file?.replaceAll('-', '') ?? '', payouts };
}
