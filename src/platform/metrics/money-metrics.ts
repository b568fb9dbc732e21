import type { MetricDefinition } from './definition.ts';

/** Metrics of the reserve, the book and the bank's files. */
export const moneyMetrics = {
  mintrail_reserve_amount: {
    type: 'gauge',
    help: 'The reserve of a currency by the book, in whole units of it: held by the bank, in circulation as tokens, under way, or other (openings, own money, claims, unexplained). Held is the sum of the others',
    unit: 'currency units',
    labels: ['currency', 'part'],
    servedBy: ['common worker'],
  },
  mintrail_circulation_amount: {
    type: 'gauge',
    help: 'Tokens in circulation on a network by the book, in whole units of the currency',
    unit: 'currency units',
    labels: ['currency', 'chain'],
    servedBy: ['common worker'],
  },
  mintrail_reserve_difference_amount: {
    type: 'gauge',
    help: 'What a comparison of the book with states, index, nodes or bank cannot explain, in whole units of the currency; accounts are added up by their size',
    unit: 'currency units',
    labels: ['comparison', 'currency', 'chain'],
    servedBy: ['common worker', 'network worker'],
  },
  mintrail_reserve_compared_timestamp_seconds: {
    type: 'gauge',
    help: 'When a comparison was made last',
    unit: 'Unix time in seconds',
    labels: ['comparison', 'currency', 'chain'],
    servedBy: ['common worker', 'network worker'],
  },
  mintrail_bank_files_total: {
    type: 'counter',
    help: 'Files of the bank that this worker has imported or refused (direction in), and payment files that it has written (out). Imports by a command or the console are in mintrail_bank_files_imported_last_day',
    unit: '',
    labels: ['direction', 'result'],
    servedBy: ['common worker'],
  },
  mintrail_bank_files_imported_last_day: {
    type: 'gauge',
    help: 'Files of the bank that were imported in the last 24 hours, from the inbox, by a command or in the console; more than 1,000 are shown as 1,001',
    unit: '',
    labels: [],
    servedBy: ['common worker'],
  },
} as const satisfies Record<string, MetricDefinition>;
