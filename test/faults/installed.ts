import { findPgbouncer } from '../../sandbox/postgres/pgbouncer.ts';
import { noRedis } from '../support/processes/redis.ts';
import { canMount } from './bank-folder.ts';

const installed = {
  pgbouncer: () => findPgbouncer() !== undefined,
  redis: () => noRedis === undefined,
  mount: canMount,
};

/** What must be installed, and allowed, for a row. */
export type Program = keyof typeof installed;

export const isInstalled = (program: Program): boolean => installed[program]();
