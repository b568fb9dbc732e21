import { type Context, type Event, ponder } from 'ponder:registry';
import { balance, outcome, supply } from 'ponder:schema';
import { zeroAddress } from 'viem';
import { refusalText } from '../../src/indexed/refusals.ts';

// Indexing functions only write these tables: Ponder takes the rows back when a reorganisation takes the logs back.

ponder.on('EMoneyToken:Transfer', async ({ event, context }) => {
  const { from, to, value } = event.args;
  const token = event.log.address;
  if (value === 0n || from === to) return;
  if (from !== zeroAddress) await addToBalance(context, token, from, -value);
  if (to !== zeroAddress) await addToBalance(context, token, to, value);
  if (from === zeroAddress) await addToSupply(context, token, { issued: value, redeemed: 0n });
  if (to === zeroAddress) await addToSupply(context, token, { issued: 0n, redeemed: value });
});

ponder.on('EMoneyToken:Issued', async ({ event, context }) => {
  await context.db
    .insert(outcome)
    .values({ ...logColumns(event), kind: 'issue', ...event.args, orderId: uuid(event.args.orderId), refused: null });
});

ponder.on('EMoneyToken:IssueRefused', async ({ event, context }) => {
  const { reason, ...args } = event.args;
  const refused = refusalText('issue', reason);
  await context.db.insert(outcome).values({ ...logColumns(event), kind: 'issue', ...args, orderId: uuid(args.orderId), refused });
});

ponder.on('EMoneyToken:Redeemed', async ({ event, context }) => {
  await context.db
    .insert(outcome)
    .values({ ...logColumns(event), kind: 'redeem', ...event.args, orderId: uuid(event.args.orderId), refused: null });
});

ponder.on('EMoneyToken:RedemptionRefused', async ({ event, context }) => {
  const { reason, ...args } = event.args;
  const refused = refusalText('redeem', reason);
  await context.db.insert(outcome).values({ ...logColumns(event), kind: 'redeem', ...args, orderId: uuid(args.orderId), refused });
});

function logColumns(
  event: Event<'EMoneyToken:Issued' | 'EMoneyToken:IssueRefused' | 'EMoneyToken:Redeemed' | 'EMoneyToken:RedemptionRefused'>,
) {
  return { txHash: event.transaction.hash, logIndex: event.log.logIndex, token: event.log.address, blockNumber: event.block.number };
}

/** An order's id as the ledger writes it: on chain it is 16 bytes. */
function uuid(bytes: `0x${string}`): string {
  return bytes.slice(2).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

async function addToBalance({ db }: Context, token: `0x${string}`, account: `0x${string}`, amount: bigint): Promise<void> {
  await db
    .insert(balance)
    .values({ token, account, amount })
    .onConflictDoUpdate((row) => ({ amount: row.amount + amount }));
}

async function addToSupply(
  { db }: Context,
  token: `0x${string}`,
  { issued, redeemed }: { issued: bigint; redeemed: bigint },
): Promise<void> {
  await db
    .insert(supply)
    .values({ token, amount: issued - redeemed, issued, redeemed })
    .onConflictDoUpdate((row) => ({
      amount: row.amount + issued - redeemed,
      issued: row.issued + issued,
      redeemed: row.redeemed + redeemed,
    }));
}
