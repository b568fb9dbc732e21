import { catalogue, problemKinds } from '../../src/problems/catalogue.ts';
import type { Board } from './board.ts';

const ofBank = problemKinds.filter((kind) => catalogue[kind].page === '/bank');

/** The reserve, and whether everything agrees with it. */
export const money: Board = {
  name: 'money',
  title: 'Mintrail: money',
  description: 'What is held, in circulation and under way, and whether everything agrees with it.',
  rows: [
    [
      'Reserve',
      [
        {
          title: 'Held by the bank',
          description: 'By the book, in whole units of each currency.',
          kind: 'stat',
          unit: 'currency',
          queries: [['max by (currency) (mintrail_reserve_amount{part="held"})', '{{currency}}']],
        },
        {
          title: 'In circulation',
          description: 'Tokens of all networks by the book.',
          kind: 'stat',
          unit: 'currency',
          queries: [['max by (currency) (mintrail_reserve_amount{part="circulation"})', '{{currency}}']],
        },
        {
          title: 'Under way',
          description:
            'Credits that wait for their tokens, burnt tokens that wait for their money, unmatched credits and payments that the bank has not booked.',
          kind: 'stat',
          unit: 'currency',
          queries: [['max by (currency) (mintrail_reserve_amount{part="under_way"})', '{{currency}}']],
        },
        {
          title: 'The equation',
          description: 'Held, less circulation, what is under way, and the rest: 0, or the book is damaged.',
          kind: 'stat',
          unit: 'currency',
          queries: [
            [
              'max by (currency) (mintrail_reserve_amount{part="held"}) - sum by (currency) (max by (currency, part) (mintrail_reserve_amount{part!="held"}))',
              '{{currency}}',
            ],
          ],
        },
        {
          title: 'Reserve by part',
          description: 'The parts add up to what is held.',
          kind: 'timeseries',
          unit: 'currency',
          queries: [['max by (currency, part) (mintrail_reserve_amount)', '{{currency}} {{part}}']],
        },
        {
          title: 'Circulation by network',
          description: 'Tokens in circulation by the book.',
          kind: 'timeseries',
          unit: 'currency',
          queries: [['max by (currency, chain) (mintrail_circulation_amount)', '{{currency}} {{chain}}']],
        },
      ],
    ],
    [
      'Comparisons',
      [
        {
          title: 'Differences',
          description: 'What a comparison cannot explain. Anything but 0 that lasts stops issuing.',
          kind: 'timeseries',
          unit: 'currency',
          queries: [['max by (comparison, currency, chain) (mintrail_reserve_difference_amount)', '{{comparison}} {{currency}} {{chain}}']],
        },
        {
          title: 'Age of comparisons',
          description: 'How long ago each was made.',
          kind: 'timeseries',
          unit: 's',
          queries: [
            [
              'time() - max by (comparison, currency, chain) (mintrail_reserve_compared_timestamp_seconds)',
              '{{comparison}} {{currency}} {{chain}}',
            ],
          ],
        },
      ],
    ],
    [
      'Bank',
      [
        {
          title: 'Bank files in a day',
          description:
            'Imported and refused files of the bank, and payment files that were written. Imported ones are those of commands and of the console, too.',
          kind: 'timeseries',
          unit: 'short',
          queries: [
            ['max(mintrail_bank_files_imported_last_day)', 'in imported'],
            ['sum by (direction, result) (increase(mintrail_bank_files_total{result!="imported"}[1d]))', '{{direction}} {{result}}'],
          ],
        },
        {
          title: 'Problems of the bank',
          description: 'Unmatched credits, unexplained debits, claims, missing statements, overdue payments.',
          kind: 'timeseries',
          unit: 'short',
          badFrom: 1,
          queries: [[`max by (kind) (mintrail_problems{kind=~"${ofBank.join('|')}"})`, '{{kind}}']],
        },
        {
          title: 'Open payouts and returns',
          description: 'Legs of the bank that are not done.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['sum by (kind, state) (max by (kind, state, age) (mintrail_open_legs{chain=""}))', '{{kind}} {{state}}']],
        },
      ],
    ],
  ],
};
