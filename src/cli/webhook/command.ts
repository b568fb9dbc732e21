import { type Command, InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../../ledger/orders/events.ts';
import { secretKey } from '../../webhooks/secret.ts';
import { parseId, parseSince, wholeNumber } from '../option-values.ts';
import type { DeliveriesOptions, ReplayOptions } from './deliveries.ts';
import type { ListenOptions } from './listen.ts';

/** `mintrail webhook`: who is told what happens, whether they take it, and a receiver to try it with. */
export function addWebhookCommands(program: Command): void {
  const webhook = program.command('webhook').description('list webhook subscriptions and deliveries, replay them, or receive them');

  webhook
    .command('subscriptions', { isDefault: true })
    .description('list subscriptions, the oldest first, and whether they are behind')
    .option('--json', 'answer in JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await deliveries()).printSubscriptions(json));

  webhook
    .command('deliveries')
    .description('list deliveries, the latest first')
    .option('--subscription <id>', 'only to this subscription', parseId)
    .addOption(new Option('--state <state...>', 'only these states').choices(states))
    .addOption(new Option('--type <type...>', 'only these types of events').choices(eventTypes))
    .option('--event <id>', 'only of this event: the webhook-id', parseId)
    .option('--subject <id>', 'only about this order or profile', parseId)
    .option('--limit <number>', 'at most so many', wholeNumber(1, 1_000), 20)
    .option('--json', 'answer in JSON, with the history of attempts')
    .action(async (options: DeliveriesOptions) => (await deliveries()).printDeliveries(options));

  webhook
    .command('replay')
    .description('send deliveries again, under the same webhook-id: those named, or all of a subscription in a state')
    .argument('[delivery...]', 'ids of deliveries')
    .option('--subscription <id>', 'all of this subscription', parseId)
    .addOption(new Option('--state <state>', 'in this state').choices(states).default('failed'))
    .option(
      '--since <time>',
      'that ended from then on: a date, a time in RFC 3339, or a span back from now such as 90m, 24h or 7d',
      parseSince,
    )
    .option('--json', 'answer in JSON')
    .action(async (ids: string[], options: ReplayOptions) => (await deliveries()).replay(ids.map(parseId), options));

  webhook
    .command('listen')
    .description('receive webhooks on this machine, verify them, and print one line for each')
    .option('--port <number>', 'port on 127.0.0.1; a free one by default', wholeNumber(0, 65_535))
    .option('--secret <secret>', 'secret of the subscription, whsec_…; a new one by default', secret)
    .option('--subscribe [types]', 'subscribe at the running sandbox until it ends, to these types, comma separated; to all by default')
    .option('--partner', "subscribe as the sandbox's whitelabel application instead of its private one")
    .option('--fail-first <number>', 'answer the first so many events with 500, to see them come again', wholeNumber(0, 65_535), 0)
    .option('--json', 'print the body of each event, as a line of JSON')
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options));
}

const states = ['pending', 'delivered', 'failed', 'cancelled'] as const;

const deliveries = () => import('./deliveries.ts');

function secret(text: string): string {
  try {
    secretKey(text);
    return text;
  } catch {
    throw new InvalidArgumentError('whsec_ and the base64 of 24 to 64 bytes.');
  }
}
