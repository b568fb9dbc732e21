export { type Client, type ClientOptions, createClient, type OrderEventsOptions } from './client.ts';
export { MintrailApiError, MintrailUnreachableError } from './errors.ts';
export { type AddressLink, linkMessage, linkMessageFor, type Payment, paymentMessage } from './messages.ts';
export type { AnswerOf, BodyOf, CallOptions, Chain, OptionsOf, Order, PagedItem, PagedPaths, PathsOf, Schemas } from './operations.ts';
export { MintrailWebhookError, type OrderEvent, verifyWebhook, type WebhookEvent, type WebhookHeaders } from './webhooks.ts';
