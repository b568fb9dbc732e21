import { paymentFiles, payments } from './bank/payment-views.ts';

/** Every list that operators read in the console and by a command. */
export const views = [payments, paymentFiles] as const;
