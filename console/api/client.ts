import { hc } from 'hono/client';
import type { ConsoleApi } from '../../src/console/app.ts';
import { request } from './request.ts';

/**
 * The console's own API, typed by the server: `await (await api.orders.$get({ query })).json()`. Every call throws ApiError for an answer
 * that is no success, and ConsoleAwayError when none comes.
 */
export const { api } = hc<ConsoleApi>(window.location.origin, { fetch: request });
