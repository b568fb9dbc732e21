import { signOutEverywhere } from '../../ledger/access/sign-out.ts';
import { inTransaction } from '../../ledger/ledger.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';
import { requireUser } from './list.ts';

/** `mintrail user sign-out`. Throws `not_found`. */
export async function signOutUser(email: string): Promise<void> {
  const count = await withLedger(async (ledger) => {
    const { id } = await requireUser(ledger, email);
    return inTransaction(ledger, (tx) => signOutEverywhere(tx, id));
  });
  print(`${count} ${count === 1 ? 'session has' : 'sessions have'} ended.`);
}
