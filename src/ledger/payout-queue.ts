/** Queue that wakes the payments to the bank when one became ready. */
export const payoutQueue = 'payouts';
