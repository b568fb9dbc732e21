import type { Command } from 'commander';
import { listClaims } from '../../ledger/bank/claims/claims.ts';
import { recover, writeOff } from '../../operations/bank/debits.ts';
import type { Verb } from '../../operations/verb.ts';
import { formatAmount } from '../../platform/money.ts';
import { formatTime, renderJson, renderTable } from '../output.ts';
import { print } from '../print.ts';
import { carryOutVerb, type VerbOptions } from '../verbs/carry-out-verb.ts';
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
export interface ClaimOptions extends VerbOptions {
  by?: string;
  writeOff?: true;
  reason?: string;
}

/** `mintrail bank claims settle`: the verb of the option. Throws what it throws, and CommanderError unless one of the two ways is named. */
export async function settleClaim(claim: string, options: ClaimOptions, command: Command): Promise<void> {
  const { by, writeOff: isWrittenOff, reason } = options;
  if ((by === undefined) === (isWrittenOff === undefined))
    return command.error('error: name either --by CREDIT, or --write-off with --reason TEXT', { exitCode: 2 });
  if (by !== undefined)
    return carryOutVerb(recover as unknown as Verb, { claim, credit: by }, options, {
      text: ({ rest }: { rest: string }) => `${by} makes the claim ${claim} good; ${rest === '0.00' ? 'nothing is' : `${rest} are`} open.`,
    });
  await carryOutVerb(writeOff as unknown as Verb, { claim, reason }, options, {
    text: ({ rest }: { rest: string }) => `${rest} of the claim ${claim} are written off.`,
  });
}
