const wholeLedger = ['src/ledger', ...['access', 'customers', 'orders', 'lanes', 'bank', 'webhooks'].map((room) => `src/ledger/${room}`)];

/**
 * What each folder may import besides itself. Everything stands below what imports it, so that no circle can arise; what is not
 * in the table may import nothing of ours. A folder that is not named belongs to the one around it.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'src/platform': [],
  'src/client': [],
  'src/bank': ['src/platform'],
  'src/chain': ['src/platform', 'abis'],
  'src/indexed': ['src/platform', 'abis'],
  'src/swap': ['src/platform'],
  'src/webhooks': ['src/platform'],

  // The files of the ledger's root serve its rooms. Of the bank it knows what money looks like, not the messages that carry it.
  'src/ledger': ['src/platform', 'src/bank/credit.ts'],
  'src/ledger/access': ['src/ledger', 'src/platform'],
  'src/ledger/customers': ['src/ledger/access', 'src/ledger', 'src/platform'],
  'src/ledger/orders': ['src/ledger/customers', 'src/ledger/access', 'src/ledger', 'src/platform'],
  'src/ledger/lanes': ['src/ledger/orders', 'src/ledger', 'src/platform'],
  'src/ledger/bank': [
    'src/ledger/orders',
    'src/ledger/access',
    'src/ledger',
    'src/platform',
    'src/bank/credit.ts',
    'src/bank/rail.ts',
    'src/bank/booked-debit.ts',
  ],
  'src/ledger/webhooks': ['src/ledger/orders', 'src/ledger/access', 'src/ledger', 'src/platform'],

  'src/wire': ['src/ledger/orders', 'src/ledger/customers', 'src/ledger', 'src/platform'],
  'src/statements': ['src/ledger/bank', 'src/ledger', 'src/bank', 'src/platform'],
  'src/reconciliation': ['src/ledger/lanes', 'src/ledger', 'src/indexed', 'src/platform'],

  'src/workers': [
    ...wholeLedger,
    'src/statements',
    'src/reconciliation',
    'src/wire',
    'src/chain',
    'src/bank',
    'src/indexed',
    'src/webhooks',
    'src/platform',
  ],
  // The client's messages are what customers sign; the API checks the same texts.
  'src/api': [...wholeLedger, 'src/wire', 'src/client', 'src/chain', 'src/indexed', 'src/webhooks', 'src/swap', 'src/platform'],
  // Starts the processes, each by a dynamic import, and shows the operator what the ledger holds.
  'src/cli': [
    ...wholeLedger,
    'src/api',
    'src/workers',
    'src/statements',
    'src/reconciliation',
    'src/client',
    'src/chain',
    'src/bank',
    'src/webhooks',
    'src/platform',
    'abis',
  ],

  // Ponder's program, which runs in a process of its own.
  indexer: ['ponder.config.ts'],
  'ponder.config.ts': ['src/indexed', 'abis'],
};
