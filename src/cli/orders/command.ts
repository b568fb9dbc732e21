import type { Command } from 'commander';
import { giveBack } from '../../operations/orders/give-back.ts';
import { orders as orderView } from '../../operations/orders/order-view.ts';
import { releaseHeld } from '../../operations/orders/release.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';

/** `mintrail orders`. */
export function addOrdersCommand(program: Command): void {
  const orders = program.command('orders').description('list orders, show one in full, give tokens back again, or release what waits');

  addView(orders, orderView, { isDefault: true });

  orders
    .command('show')
    .description('show an order with its legs, transactions and history')
    .argument('<id>', 'id of the order')
    .option('--json', 'print JSON')
    .action(async (id: string, { json = false }: { json?: boolean }) => (await import('./show.ts')).showOrder(id, json));

  addVerb(orders, giveBack, { text: ({ order }) => `The tokens of order ${order} are being given back again.` });
  addVerb(orders, releaseHeld, { text: ({ released }) => `${released} orders are released.` });
}
