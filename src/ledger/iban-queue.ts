/** Queue that wakes the assignment of IBANs when one was asked for. */
export const ibanQueue = 'ibans';
