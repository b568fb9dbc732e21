import { comparisonNames } from '../../src/ledger/reserve/comparison.ts';
import { showDay } from '../../src/cli/book/day.ts';
import { notReadyError } from '../../src/cli/reconcile/reconcile.ts';
import { compareAll } from '../../src/reconciliation/compare-all.ts';
import { cliSettings } from '../../src/cli/cli-settings.ts';
import { exitCodes } from '../../src/cli/render-error.ts';
import { storySteps } from '../../src/trace/story-steps.ts';
import { readTraces } from '../../src/cli/trace/trace.ts';
import { withLedger } from '../../src/cli/with-ledger.ts';
import type { DemoContext } from './shared-steps.ts';

/** Follows the money of an order from the holder to the bank and back, without the references that `mintrail trace` shows too. */
export async function demonstrateTrace({ printer }: DemoContext, orderId: string): Promise<void> {
  printer.step('The operator traces the payment that came back: order, chain, book, payment and bank');
  printer.fact('command', `npx mintrail trace ${orderId}`);
  const { traces } = await withLedger((ledger) => readTraces(ledger, orderId));
  for (const trace of traces) {
    printer.fact('order', trace.order.id);
    const steps = storySteps(trace).filter(([, record]) => record !== 'leg' && record !== 'transaction');
    for (const [, record, text] of steps) printer.fact(record, text);
  }
}

/** The closing of the day, and the comparisons of the book with the ledger, the chains and the bank. Exit code 1 when one of them does not hold. */
export async function demonstrateClosing({ printer }: DemoContext): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  printer.step('The operator closes the day: every movement is in the book, which balances');
  printer.fact('command', `npx mintrail book day ${day}`);
  await showDay(day, {});

  printer.step('The book is compared with the states of the ledger, the indexes, the nodes and the bank');
  printer.fact('command', 'npx mintrail reconcile');
  const { comparisons, notReady } = await withLedger((ledger) => compareAll(ledger, Object.values(cliSettings().networks), new Date()));
  if (notReady.length > 0) throw notReadyError(notReady);
  for (const name of comparisonNames) {
    const results = comparisons.filter(({ comparison }) => comparison === name);
    const holding = results.filter(({ difference }) => difference === 0n);
    printer.fact(name, `${holding.length} of ${results.length} hold`);
    if (holding.length < results.length) process.exitCode = exitCodes.failed;
  }
}
