import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Ledger } from '../../ledger/ledger.ts';
import { parseTimestamp } from '../../ledger/timestamp.ts';
import { retryGiveBack } from '../../ledger/orders/stuck-orders.ts';
import { asChain, transactionUrl } from '../../platform/chains.ts';
import { StopError } from '../../platform/errors.ts';
import { formatAmount } from '../../platform/money.ts';
import { cliSettings } from '../cli-settings.ts';
import { type OrderListFilter, listAllOrders, showOrder } from './queries.ts';
import { renderJson, renderTable } from '../table.ts';
import { withLedger } from '../with-ledger.ts';

interface ListOptions extends OrderListFilter {
  json?: true;
}

/** `mintrail orders`: what an operator looks up. */
export function addOrdersCommand(program: Command): void {
  const orders = program.command('orders').description('list orders, or show one with its movements, transactions and events');

  orders
    .command('list', { isDefault: true })
    .description('list orders, the latest first')
    .addOption(new Option('--state <state...>', 'only these states').choices(['placed', 'pending', 'processed', 'rejected']))
    .addOption(new Option('--kind <kind>', 'only this kind').choices(['issue', 'redeem']))
    .option('--chain <name>', 'only this network')
    .option('--address <address>', 'only this account', (text) => text.toLowerCase())
    .option('--placed-after <time>', 'only those placed at that moment or later, such as 2026-01-31T12:00Z', moment)
    .option('--placed-before <time>', 'only those placed earlier', moment)
    .option('--limit <number>', 'at most so many', limit, 20)
    .option('--json', 'answer in JSON')
    .action(async ({ json, ...filter }: ListOptions) => {
      const found = await withLedger((ledger) => listAllOrders(ledger, filter));
      if (json) console.log(renderJson(found));
      else if (found.length === 0) console.log('No orders.');
      else
        console.log(
          renderTable(
            ['id', 'placed', 'kind', 'chain', 'account', 'amount', 'state', 'reason'],
            found.map((order) => [
              order.id,
              time(order.placedAt),
              order.kind,
              order.chain,
              order.address,
              `${formatAmount(order.amount)} ${order.currency.toUpperCase()}`,
              order.state,
              order.rejectedReason ?? '',
            ]),
          ),
        );
    });

  orders
    .command('show')
    .description('show one order')
    .argument('<id>', 'id of the order')
    .option('--json', 'answer in JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      await withLedger(async (ledger: Ledger) => {
        const found = isUuid(id) ? await showOrder(ledger, id) : undefined;
        if (!found) throw new StopError({ code: 'unknown_order', message: `There is no order ${id}; \`mintrail orders\` lists them` });
        console.log(json ? renderJson(found) : renderOrder(found));
      });
    });

  orders
    .command('give-back')
    .description('give the tokens of a stuck order back once more, after the cause was mended; `mintrail status` names such orders')
    .argument('<id>', 'id of the order')
    .action(async (id: string) => {
      if (!isUuid(id)) throw new StopError({ code: 'unknown_order', message: `${id} is not the id of an order` });
      await withLedger((ledger) => retryGiveBack(ledger, id));
      console.log(`The tokens of order ${id} are given back again.`);
    });
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

function renderOrder({ order, legs, events }: NonNullable<Awaited<ReturnType<typeof showOrder>>>): string {
  const facts = Object.entries(order)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([name, value]) => [name, cell(name, value)]);
  return [
    renderTable(['order', ''], facts),
    '',
    renderTable(
      ['movement', 'state', 'amount', 'chain', 'block', 'transaction', 'reason'],
      legs.map((leg) => [
        leg.kind,
        leg.state,
        formatAmount(leg.amount),
        leg.chain ?? '',
        leg.block?.toString() ?? '',
        leg.txHash ?? '',
        leg.reason ?? '',
      ]),
    ),
    ...explorerLinks(legs),
    '',
    renderTable(
      ['event', 'time', 'movement', 'chain', 'transaction or payment', 'remark'],
      events.map(({ type, at, movement, chain, txHash, endToEndId, replaces, bankStatus, reason }) => [
        type,
        time(at),
        movement ?? '',
        chain ?? '',
        txHash ?? endToEndId ?? '',
        reason ?? bankStatus ?? (replaces === null ? '' : `replaces ${replaces}`),
      ]),
    ),
  ].join('\n');
}

/** Where people look the transactions up; local chains, which have a name of their own, are in no explorer. */
function explorerLinks(legs: readonly { chain: string | null; txHash: string | null }[]): string[] {
  const { networks } = cliSettings();
  return legs.flatMap(({ chain, txHash }) => {
    if (chain === null || txHash === null) return [];
    const network = asChain(chain);
    return networks[network]?.genesis ? [] : [transactionUrl(network, txHash)];
  });
}

function cell(name: string, value: unknown): string {
  if (name === 'amount') return formatAmount(value as bigint);
  if (value instanceof Date) return time(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function time(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function moment(text: string): Date {
  const milliseconds = parseTimestamp(text);
  if (milliseconds !== undefined) return new Date(milliseconds);
  throw new InvalidArgumentError('A time as in RFC 3339, such as 2026-01-31T12:00:00Z.');
}

function limit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0 && number <= 1_000) return number;
  throw new InvalidArgumentError('A number from 1 to 1000.');
}
