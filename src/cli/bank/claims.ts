import { takeAwaitedBack } from '../../ledger/bank/awaited-credits.ts';
import { listClaims, recoverClaim, writeOffClaim } from '../../ledger/bank/claims/claims.ts';
import { undoReversal } from '../../ledger/bank/claims/undo-reversal.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { operatorName } from '../operator.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail bank claims`. */
export async function showClaims(limit: number, json: boolean): Promise<void> {
  const claims = await withLedger((ledger) => listClaims(ledger, limit));
  if (json)
    return print(
      renderJson(
        claims.map(({ reversal, amount, recovered, ...claim }) => ({
          claim: reversal,
          ...claim,
          amount: formatAmount(amount),
          recovered: formatAmount(recovered),
        })),
      ),
    );
  if (claims.length === 0) return print('No claims.');
  const rows = claims.map((claim) => [
    claim.reversal,
    claim.credit,
    claim.state,
    formatTime(claim.createdAt),
    formatAmount(claim.amount),
    formatAmount(claim.recovered),
    claim.currency.toUpperCase(),
    claim.orderId ?? '',
    claim.payer.name ?? claim.payer.iban ?? '',
  ]);
  print(renderTable(['claim', 'credit', 'state', 'since', 'amount', 'recovered', 'currency', 'order', 'payer'], rows));
  if (claims.length === limit) print(`Only the oldest ${limit} are shown; --limit shows more.`);
}

/** Options of `mintrail bank claims settle`. */
export interface ClaimOptions {
  by?: string;
  writeOff?: true;
  reason?: string;
  json?: boolean;
}

/** `mintrail bank claims settle`. Throws `not_confirmed` unless one of the two ways is named. */
export async function settleClaim(claim: string, { by, writeOff, reason, json = false }: ClaimOptions): Promise<void> {
  if ((by === undefined) === (writeOff === undefined) || (writeOff === true && reason === undefined))
    throw new StopError({ code: 'not_confirmed', message: 'Name either --by CREDIT, or --write-off with --reason TEXT' });
  const { rest } = await withLedger((ledger) =>
    by === undefined ? writeOffClaim(ledger, claim, reason ?? '') : recoverClaim(ledger, claim, by),
  );
  if (json) return print(renderJson({ claim, by: by ?? null, writtenOff: by === undefined, rest: formatAmount(rest) }));
  print(
    by === undefined
      ? `${formatAmount(rest)} of the claim ${claim} are written off.`
      : `${by} makes the claim ${claim} good; ${rest === 0n ? 'nothing is' : `${formatAmount(rest)} are`} open.`,
  );
}

/** `mintrail bank claims undo`. */
export async function undoClaim(debit: string, { reason, json = false }: { reason: string; json?: boolean }): Promise<void> {
  const undone = await withLedger((ledger) => undoReversal(ledger, debit, { reason, operator: operatorName() }));
  if (json) return print(renderJson({ ...undone, amount: formatAmount(undone.amount) }));
  for (const { credit, isUnmatched } of undone.credits)
    print(`The credit ${credit} ${isUnmatched ? 'is unmatched again: match or return it' : 'has no claim any more'}.`);
  print(`The debit ${undone.debit} waits for \`mintrail bank explain\`.`);
}

/** `mintrail bank not-booked`. */
export async function takeBack(credit: string, { reason, json = false }: { reason: string; json?: boolean }): Promise<void> {
  const { reference, amount, currency } = await withLedger((ledger) =>
    takeAwaitedBack(ledger, credit, { reason, operator: operatorName() }),
  );
  if (json) return print(renderJson({ credit, debit: reference, amount: formatAmount(amount), currency, reason }));
  print(`The credit ${credit} is taken back by the debit ${reference}. \`mintrail bank claims\` lists what was issued for it.`);
}
