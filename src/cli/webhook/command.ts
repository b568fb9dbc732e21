import { type Command, InvalidArgumentError, Option } from 'commander';
import { eventTypes } from '../../ledger/orders/events.ts';
import { deliveryStates } from '../../ledger/webhooks/delivery-queries.ts';
import { replayWebhooks } from '../../operations/webhooks/replay.ts';
import { secretKey } from '../../webhooks/secret.ts';
import { parseId, wholeNumber } from '../option-values.ts';
import type { DeliveriesOptions } from './deliveries.ts';
import { addVerb } from '../verbs/add-verb.ts';
import type { ListenOptions } from './listen.ts';

/** `mintrail webhook`. */
export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('list webhook subscriptions and deliveries, replay deliveries, or receive webhooks');

  webhook
    .command('subscriptions', { isDefault: true })
    .description('list subscriptions, the oldest first, with their pending and failed deliveries')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => (await deliveries()).printSubscriptions(json));

  webhook
    .command('deliveries')
    .description('list deliveries, the latest first')
    .option('--subscription <id>', 'only deliveries to this subscription', parseId)
    .addOption(new Option('--state <state...>', 'only deliveries in these states').choices(deliveryStates))
    .addOption(new Option('--type <type...>', 'only events of these types').choices(eventTypes))
    .option('--event <id>', 'only deliveries of this event (the webhook-id)', parseId)
    .option('--subject <id>', 'only events about this order or profile', parseId)
    .option('--limit <number>', 'show at most this many', wholeNumber(1, 1_000), 20)
    .option('--json', 'print JSON, with all attempts')
    .action(async (options: DeliveriesOptions) => (await deliveries()).printDeliveries(options));

  addVerb(webhook, replayWebhooks, {
    text: ({ replayed: { length }, hasMore }) =>
      `${length} ${length === 1 ? 'delivery is' : 'deliveries are'} sent again.${hasMore ? ' There are more: ask again for the rest.' : ''}`,
  });

  webhook
    .command('listen')
    .description('receive webhooks on this machine, verify them, and print one line for each')
    .option('--port <number>', 'port on 127.0.0.1; by default a free port', wholeNumber(0, 65_535))
    .option('--secret <secret>', 'secret of the subscription, whsec_…; by default a new one', secret)
    .option(
      '--subscribe [types]',
      'subscribe to the running sandbox while listening, to these event types, comma separated; by default to all',
    )
    .option('--partner', "subscribe as the sandbox's whitelabel application instead of its private one")
    .option('--fail-first <number>', 'answer this many events with 500 first, to see them delivered again', wholeNumber(0, 65_535), 0)
    .option('--json', 'print the body of each event as a line of JSON')
    .action(async (options: ListenOptions) => (await import('./listen.ts')).listen(options));
}

const deliveries = () => import('./deliveries.ts');

function secret(text: string): string {
  try {
    secretKey(text);
    return text;
  } catch {
    throw new InvalidArgumentError('It must be whsec_ and the base64 of 24 to 64 bytes.');
  }
}
