import { z } from '@hono/zod-openapi';
import { type EventType, eventTypes } from '../../ledger/orders/events.ts';
import { MintrailError } from '../../platform/errors.ts';
import { secretKey } from '../../webhooks/secret.ts';
import { type Environment, TargetError, targetUrl } from '../../webhooks/target.ts';
import * as output from '../../wire/output-fields.ts';

/** What a subscription is told when it does not say (docs/api.md, Subscriptions). */
export const defaultTypes: EventType[] = ['iban.updated', 'profile.updated'];

export const subscriptionBody = z
  .object({
    id: output.uuid,
    url: z.string().openapi({ format: 'uri' }),
    types: z.array(z.enum(eventTypes)),
    state: z.enum(['active', 'inactive']),
  })
  .openapi('WebhookSubscription');

const isEventType = (given: unknown): given is EventType => eventTypes.some((known) => known === given);

/** Types of events, each once. All of them are under one name, since which of them is wrong can be read in the text. */
export const eventTypesIn = z
  .array(z.unknown())
  .transform((given, context): EventType[] => {
    if (given.length > 0 && given.every(isEventType)) return [...new Set(given)];
    const message = given.length === 0 ? 'must name at least one type' : `must be a list of ${eventTypes.join(', ')}`;
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .openapi({ type: 'array', items: { type: 'string', enum: [...eventTypes] }, minItems: 1 });

/** A subscription's secret (docs/api.md, Subscriptions). */
export const webhookSecret = z
  .string()
  .superRefine((given, context) => {
    try {
      secretKey(given);
    } catch (error) {
      if (!(error instanceof MintrailError)) throw error;
      context.addIssue({ code: 'custom', message: error.fields?.['secret'] ?? error.message });
    }
  })
  .openapi({ description: '`whsec_` and the base64 of 24 to 64 random bytes', pattern: '^whsec_[A-Za-z0-9+/]+={0,2}$' });

/** A subscription's URL in its one spelling (docs/api.md, Subscriptions). */
export function webhookUrl(environment: Environment) {
  return z
    .string()
    .transform((given, context) => {
      try {
        return targetUrl(given, environment).href;
      } catch (error) {
        if (!(error instanceof TargetError)) throw error;
        context.addIssue({ code: 'custom', message: error.message });
        return z.NEVER;
      }
    })
    .openapi({ type: 'string', format: 'uri', description: 'https; in the sandbox also http to a loopback address' });
}
