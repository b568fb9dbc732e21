import { z } from '@hono/zod-openapi';
import { type EventType, eventTypes } from '../../ledger/orders/events.ts';
import type { Subscription } from '../../ledger/webhooks/subscriptions.ts';
import { MintrailError } from '../../platform/errors.ts';
import { secretKey } from '../../webhooks/secret.ts';
import { type Environment, TargetError, targetUrl } from '../../webhooks/target.ts';
import * as output from '../../wire/output-fields.ts';

/** The event types of a subscription that names none (docs/api.md, Subscriptions). */
export const defaultTypes: EventType[] = ['iban.updated', 'profile.updated'];

/** The state of a subscription. */
export const stateSchema = z
  .enum(['active', 'inactive'])
  .openapi({ description: 'An `inactive` subscription gets nothing, and nothing is kept for it.' });

export const subscriptionSchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the subscription.' }),
    url: z.string().openapi({ format: 'uri', description: 'Where events are posted.' }),
    types: z.array(z.enum(eventTypes)).openapi({ description: 'The types of events that it receives.' }),
    state: stateSchema,
    pausedUntil: output.time.optional().openapi({
      description:
        'Until when nothing is sent, because the receiver answered 429 or 503 with `Retry-After` (UTC). Any change of the subscription ends it. Left out otherwise.',
    }),
  })
  .openapi('WebhookSubscription', { description: 'A URL that receives events of the application. Its secret is never answered.' });

/** A subscription as it is answered. */
export function subscriptionBody({ pausedUntil, ...subscription }: Subscription): z.infer<typeof subscriptionSchema> {
  return { ...subscription, ...(pausedUntil === null ? {} : { pausedUntil: pausedUntil.toISOString() }) };
}

const isEventType = (value: unknown): value is EventType => eventTypes.some((known) => known === value);

/** A list of event types, without repetitions. An invalid list is a single issue: its message lists the valid types. */
export const eventTypesSchema = z
  .array(z.unknown())
  .transform((value, context): EventType[] => {
    if (value.length > 0 && value.every(isEventType)) return [...new Set(value)];
    const message = value.length === 0 ? 'must name at least one type' : `must be a list of ${eventTypes.join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .openapi({
    type: 'array',
    items: { type: 'string', enum: [...eventTypes] },
    minItems: 1,
    description: 'The types of events to receive, at least one.',
  });

/** A subscription's secret (docs/api.md, Subscriptions). */
export const webhookSecretSchema = z
  .string()
  .superRefine((value, context) => {
    try {
      secretKey(value);
    } catch (error) {
      if (!(error instanceof MintrailError)) throw error;
      context.addIssue({ code: 'custom', message: error.fields?.['secret'] ?? error.message });
    }
  })
  .openapi({
    description: 'The secret that signs deliveries: `whsec_` and the base64 of 24 to 64 random bytes.',
    pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$',
  });

/** A subscription's URL, parsed to its normal form (docs/api.md, Subscriptions). */
export function webhookUrlSchema(environment: Environment) {
  return z
    .string()
    .transform((value, context) => {
      try {
        return targetUrl(value, environment).href;
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .openapi({
      type: 'string',
      format: 'uri',
      description: 'Where events are posted: https to a public address; in the sandbox also http to the own machine.',
    });
}
