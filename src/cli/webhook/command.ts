import { type Command, InvalidArgumentError } from 'commander';
import { deliveries } from '../../operations/webhooks/delivery-view.ts';
import { subscriptions } from '../../operations/webhooks/subscription-view.ts';
import { replayWebhooks } from '../../operations/webhooks/replay.ts';
import { secretKey } from '../../webhooks/secret.ts';
import { wholeNumber } from '../option-values.ts';
import { addVerb } from '../verbs/add-verb.ts';
import { addView } from '../views/add-view.ts';
import type { ListenOptions } from './listen.ts';

/** `mintrail webhook`. */
export function addWebhookCommands(program: Command): void {
  const webhook = program
    .command('webhook')
    .description('list webhook subscriptions and deliveries, replay deliveries, or receive webhooks');

  addView(webhook, subscriptions, { isDefault: true });
  addView(webhook, deliveries);

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

function secret(text: string): string {
  try {
    secretKey(text);
    return text;
  } catch {
    throw new InvalidArgumentError('It must be whsec_ and the base64 of 24 to 64 bytes.');
  }
}
