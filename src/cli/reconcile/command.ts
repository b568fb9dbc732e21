import type { Command } from 'commander';
import { userInfo } from 'node:os';
import { acknowledgeBreach, openBreaches } from '../../ledger/bank/reserve-breaches.ts';
import { RetryError, StopError } from '../../platform/errors.ts';
import { currencySchema, formatAmount } from '../../platform/money.ts';
import { readReserve, type Reserve } from '../../reconciliation/reserve.ts';
import { cliSettings } from '../cli-settings.ts';
import { exitCodes } from '../render-error.ts';
import { renderJson, renderTable } from '../table.ts';
import { withLedger } from '../with-ledger.ts';

/** `mintrail reconcile`. */
export function addReconcileCommand(program: Command): void {
  const command = program
    .command('reconcile')
    .description('compare the tokens in circulation with the money held. Exit code 1 when they differ')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: { json?: true }) => {
      const { reserves, breaches } = await withLedger(async (ledger) => {
        const read = await readReserve(ledger, cliSettings());
        if (!read)
          throw new RetryError({
            code: 'indexer_not_ready',
            message: 'An indexer is not ready, so its newest rows may be missing: try again shortly',
          });
        return { reserves: read, breaches: await openBreaches(ledger) };
      });
      console.log(json ? renderJson({ reserves, breaches }) : render(reserves));
      for (const { currency, difference } of json ? [] : breaches) {
        console.log(
          `\n${currency} is not issued since a difference of ${formatAmount(difference)} was found: mintrail reconcile acknowledge ${currency}`,
        );
      }
      if (breaches.length > 0 || reserves.some(({ difference }) => difference !== 0n)) process.exitCode = exitCodes.failed;
    });
  command
    .command('acknowledge <currency>')
    .description('issue a currency again after its difference was looked into')
    .action(async (name: string) => {
      const currency = currencySchema.safeParse(name);
      const done = currency.success && (await withLedger((ledger) => acknowledgeBreach(ledger, currency.data, userInfo().username)));
      if (!done)
        throw new StopError({ code: 'unknown_breach', message: `There is no open breach of ${name}: mintrail reconcile shows them` });
      console.log(`${name} is issued again.`);
    });
}

function render(reserves: Reserve[]): string {
  const networks = [...new Set(reserves.flatMap(({ circulation }) => Object.keys(circulation)))];
  return renderTable(
    ['currency', ...networks.map((chain) => `on ${chain}`), 'under way', 'received', 'paid out', 'returned', 'difference'],
    reserves.map((reserve) => [
      reserve.currency,
      ...networks.map((chain) => formatAmount(reserve.circulation[chain] ?? 0n)),
      ...[reserve.underWay, reserve.received, reserve.paidOut, reserve.returned, reserve.difference].map(formatAmount),
    ]),
  );
}
