import type { LowerAddress } from '../../../src/platform/addresses.ts';

/** The token of all runs. */
export const tokenAddress = '0x70ce000000000000000000000000000000000001' as LowerAddress;
