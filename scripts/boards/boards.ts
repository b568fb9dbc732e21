import type { Board } from './board.ts';
import { money } from './money.ts';
import { networks } from './networks.ts';
import { operations } from './operations.ts';

/** All boards. */
export const boards: readonly Board[] = [operations, money, networks];
