import { randomUUID } from 'node:crypto';
import type { BatchHeader, RailPayment } from '../../../../src/bank/rail.ts';
import { minorUnits } from '../../../../src/platform/money.ts';

export const debtor = {
  name: 'Mintrail ehf.',
  iban: 'IS140159260076545510730339',
  address: { street: 'Borgartún', buildingNumber: '27', postalCode: '105', city: 'Reykjavík', country: 'IS' },
  bic: 'MNTRIS22',
  calendar: { timeZone: 'Atlantic/Reykjavik', holidays: [] },
};
const payee = 'DE89370400440532013000';

export function payment(more: Partial<RailPayment> = {}): RailPayment {
  const id = randomUUID();
  return {
    id,
    kind: 'payout',
    endToEndId: id.replaceAll('-', ''),
    currency: 'eur',
    amount: minorUnits(1050n),
    creditorName: 'Jane Doe',
    creditorIban: payee,
    creditorCountry: 'DE',
    creditorAddress: null,
    remittance: 'Rent for May',
    structuredReference: null,
    ...more,
  };
}

export const batch: BatchHeader = { messageId: '0198c0de000070008000000000000001', createdAt: new Date('2026-05-04T23:59:58.123Z') };
