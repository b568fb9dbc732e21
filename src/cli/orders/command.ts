import { type Command, Option } from 'commander';
import { lowerAddress } from '../../platform/addresses.ts';
import { giveBack } from '../../operations/orders/give-back.ts';
import { releaseHeld } from '../../operations/orders/release.ts';
import { parseTime, wholeNumber } from '../option-values.ts';
import { addVerb } from '../verbs/add-verb.ts';
import type { ListOptions } from './list.ts';

/** `mintrail orders`. */
export function addOrdersCommand(program: Command): void {
  const orders = program.command('orders').description('list orders, show one in full, give tokens back again, or release what waits');

  orders
    .command('list', { isDefault: true })
    .description('list orders, the latest first')
    .addOption(new Option('--state <state...>', 'only orders in these states').choices(['placed', 'pending', 'processed', 'rejected']))
    .addOption(new Option('--kind <kind>', 'only orders of this kind').choices(['issue', 'redeem']))
    .option('--chain <name>', 'only orders on this network')
    .option('--address <address>', 'only orders of this account', lowerAddress)
    .option('--placed-after <time>', 'only orders placed at this time or later, such as 2026-01-31T12:00Z', parseTime)
    .option('--placed-before <time>', 'only orders placed before this time', parseTime)
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON')
    .action(async (options: ListOptions) => (await import('./list.ts')).listOrders(options));

  orders
    .command('show')
    .description('show an order with its legs, transactions and history')
    .argument('<id>', 'id of the order')
    .option('--json', 'print JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await import('./show.ts')).showOrder(id, json));

  addVerb(orders, giveBack, { text: ({ order }) => `The tokens of order ${order} are being given back again.` });
  addVerb(orders, releaseHeld, { text: ({ released }) => `${released} orders are released.` });
}
