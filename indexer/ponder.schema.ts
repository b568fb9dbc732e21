import { index, onchainTable, primaryKey } from 'ponder';

/** What a token contract decided of an order's leg. Looked up by order, so the order comes first in the key. */
export const outcome = onchainTable(
  'outcome',
  (t) => ({
    orderId: t.text().notNull(),
    kind: t.text().notNull(),
    txHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
    token: t.hex().notNull(),
    account: t.hex().notNull(),
    amount: t.bigint().notNull(),
    /** Of an issue. With the token it names what happens at most once, whatever order id the transaction claims. */
    sequence: t.bigint(),
    /** EIP-191 hash of a redemption's message. With the token and the account it names what happens at most once. */
    messageHash: t.hex(),
    refused: t.text(),
    blockNumber: t.bigint().notNull(),
  }),
  (table) => ({
    key: primaryKey({ columns: [table.orderId, table.kind, table.txHash, table.logIndex] }),
    sequence: index().on(table.token, table.sequence),
    // All that a redemption is looked up by: without statistics, PostgreSQL takes the index with the most columns.
    message: index().on(table.messageHash, table.account, table.token),
    // The newest outcomes are compared with what the ledger has recorded.
    block: index().on(table.blockNumber),
  }),
);

/** Raw token units that an account holds. */
export const balance = onchainTable(
  'balance',
  (t) => ({ token: t.hex().notNull(), account: t.hex().notNull(), amount: t.bigint().notNull() }),
  (table) => ({ key: primaryKey({ columns: [table.token, table.account] }) }),
);

/** Raw token units in circulation, and all that was ever issued and redeemed. */
export const supply = onchainTable('supply', (t) => ({
  token: t.hex().primaryKey(),
  amount: t.bigint().notNull(),
  issued: t.bigint().notNull(),
  redeemed: t.bigint().notNull(),
}));
