import { readBalances } from '../../src/ledger/book/balances.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { balancesByStates } from '../ledger/book/states.ts';
import { differingTables } from '../schema/derived-tables.ts';
import { customers } from './ledger/customers.ts';
import type { SimulatedDatabase } from './ledger/simulated-database.ts';
import { type PlacedOrder, redeemsSoundly } from './ledger/orders.ts';
import { type OutcomeRow, rowsOf } from './ledger/simulated-indexer.ts';
import { ancestry, type Chain } from './node/chain.ts';
import { unknownMethods } from './node/json-rpc.ts';
import { tokenAddress } from './node/token-address.ts';
import { holders, initialBalance, type World } from './world.ts';

/** A rule that a run has broken. */
export interface Violation {
  invariant: string;
  text: string;
}

/** What a run knows besides its ledger and its chain. */
interface RunFacts {
  /** Accounts whose holders have moved all tokens away. */
  emptied: ReadonlySet<string>;
  /** Orders that `mintrail status` says only an operator can end. */
  stuck: ReadonlySet<string>;
}

interface LegRow {
  id: string;
  orderId: string;
  kind: 'issue' | 'redeem' | 'payout' | 'return';
  state: string;
  account: string | null;
  amount: string;
  sequence: string | null;
  digest: string | null;
  txHash: string | null;
  reason: string | null;
  orderState: string;
  orderKind: string;
  creditReference: string | null;
}

const tokenUnitsPerMinorUnit = 10n ** 16n;

/** Checks what must hold once all is calm: ledger and chain agree, everything happened once, nothing is stuck. */
export async function checkInvariants(
  database: SimulatedDatabase,
  { chain, network }: Pick<World, 'chain' | 'network'>,
  orders: readonly PlacedOrder[],
  { ledger, ...facts }: RunFacts & { ledger: Ledger },
): Promise<Violation[]> {
  const legs = await readLegs(database);
  const outcomes = [...ancestry(chain.tip())].flatMap((block) => rowsOf(block));
  return [
    ...exactlyOnce(legs, outcomes),
    ...nothingStuck(legs),
    ...rightEnds(legs, orders, facts),
    ...supplyEqualsLedger(chain, legs, outcomes),
    ...(await bookEqualsStates(ledger)),
    ...(await derivedTablesAgree(database)),
    ...(await soundAccountsNeverWait(database, legs)),
    ...(await feesBelowCeiling(database, network)),
    ...[...unknownMethods].map((method) => ({ invariant: 'the node knows every method', text: method })),
  ];
}

async function readLegs(database: SimulatedDatabase): Promise<LegRow[]> {
  return database.query<LegRow>(`
    select l.id::text as id, l.order_id::text as "orderId", l.kind, coalesce(w.state || case when l.outcome is null then '' else ' and ' || l.outcome end, l.outcome, 'lost') as state,
      l.account, l.amount::text as amount, l.sequence::text as sequence, o.digest, l.tx_hash as "txHash", l.reason, o.state as "orderState",
      o.kind as "orderKind", c.reference as "creditReference"
    from leg_history l join orders o on o.id = l.order_id left join open_legs w on w.id = l.id left join credits c on c.order_id = o.id order by l.id`);
}

/** Every leg on chain that is done has one event of the canonical chain, and no two legs have the same. */
function exactlyOnce(legs: readonly LegRow[], outcomes: readonly OutcomeRow[]): Violation[] {
  const carriedOut = outcomes.filter(({ refused }) => refused === null);
  return legs
    .filter(({ kind }) => kind === 'issue' || kind === 'redeem')
    .flatMap((leg) => {
      const matching = carriedOut.filter((outcome) => isOf(leg, outcome));
      const expected = leg.state === 'done' ? 1 : 0;
      const text = `leg ${leg.id} (${leg.kind}, ${leg.state}) of order ${leg.orderId} has ${matching.length} events on the chain, not ${expected}`;
      return matching.length === expected ? [] : [{ invariant: 'exactly once', text }];
    });
}

function isOf(leg: LegRow, outcome: OutcomeRow): boolean {
  if (outcome.kind !== leg.kind || outcome.account !== leg.account || outcome.amount !== BigInt(leg.amount) * tokenUnitsPerMinorUnit)
    return false;
  return leg.kind === 'issue' ? outcome.orderId === leg.orderId : outcome.messageHash === leg.digest;
}

function nothingStuck(legs: readonly LegRow[]): Violation[] {
  return legs
    .filter(({ state }) => state !== 'done' && state !== 'refused' && state !== 'void')
    .map(({ id, kind, state, orderId }) => ({
      invariant: 'nothing stuck',
      text: `leg ${id} (${kind}) of order ${orderId} is still ${state}`,
    }));
}

/** Orders end as they must; a rejected one leaves no money behind. */
function rightEnds(legs: readonly LegRow[], orders: readonly PlacedOrder[], { emptied, stuck }: RunFacts): Violation[] {
  return orders.flatMap((order, number) => {
    const own = legs.filter(({ orderId, creditReference }) =>
      order.id === undefined ? creditReference === `credit ${number}` : orderId === order.id,
    );
    const [first] = own;
    if (!first) return [];
    const refusedByBank =
      own.some(({ kind, state }) => kind === 'payout' && state === 'refused') &&
      own.some(({ kind, state }) => kind === 'redeem' && state === 'done');
    // The admin blocks accounts now and then.
    const blocked = own.some(({ reason }) => reason === 'the account is blocked' || reason === 'the account cannot hold tokens');
    const isEmptied = order.kind === 'redeem' && emptied.has(order.customer.account);
    // The bank refused the payout, and the admin had blocked the account: the tokens cannot be given back, and `status` names the order.
    const isStuck = first.orderKind === 'redeem' && own.some(({ kind, state }) => kind === 'issue' && state === 'refused');
    if (isStuck && stuck.has(first.orderId) && first.orderState === 'pending') return [];
    const expected =
      order.mustEnd === 'either way' || isEmptied ? ['processed', 'rejected'] : refusedByBank || blocked ? ['rejected'] : ['processed'];
    const violations: Violation[] = [];
    if (!expected.includes(first.orderState))
      violations.push({
        invariant: 'right end',
        text: `order ${first.orderId} of ${order.customer.contract ?? 'a key'} is ${first.orderState}, not ${expected.join(' or ')}`,
      });
    const isIssueRefused = first.orderKind === 'issue' && own.some(({ kind, state }) => kind === 'issue' && state === 'refused');
    const isReturned = own.some(({ kind, state }) => kind === 'return' && state === 'done');
    if (isIssueRefused && order.isPayerKnown && !isReturned)
      violations.push({ invariant: 'way back', text: `order ${first.orderId} is refused, and its credit is not returned` });
    const isBurnt = own.some(({ kind, state }) => kind === 'redeem' && state === 'done');
    const isGivenBack = own.some(({ kind, state }) => kind === 'issue' && state === 'done');
    if (first.orderKind === 'redeem' && first.orderState === 'rejected' && isBurnt && !isGivenBack)
      violations.push({ invariant: 'way back', text: `order ${first.orderId} is rejected, and its tokens are burnt and not given back` });
    return violations;
  });
}

function supplyEqualsLedger(chain: Chain, legs: readonly LegRow[], outcomes: readonly OutcomeRow[]): Violation[] {
  const sum = (kind: string) =>
    legs
      .filter((leg) => leg.kind === kind && leg.state === 'done')
      .reduce((total, { amount }) => total + BigInt(amount) * tokenUnitsPerMinorUnit, 0n);
  const stolen = outcomes
    .filter(({ kind, refused }) => kind === 'issue' && refused === null)
    .filter((outcome) => !legs.some((leg) => isOf(leg, outcome)))
    .reduce((total, { amount }) => total + amount, 0n);
  const expected = BigInt(holders.length) * initialBalance + sum('issue') - sum('redeem') + stolen;
  const supply = chain.tip().state.tokens.get(tokenAddress)?.supply ?? 0n;
  if (supply === expected) return [];
  return [{ invariant: 'supply equals the ledger', text: `the supply is ${supply}, the ledger says ${expected} (stolen: ${stolen})` }];
}

/** Each account of the book holds what the states say, and all of them add up to nothing. */
async function bookEqualsStates(ledger: Ledger): Promise<Violation[]> {
  const states = await balancesByStates(ledger);
  const book = (await readBalances(ledger)).map(({ account, currency, amount }): [string, bigint] => [`${account} ${currency}`, amount]);
  const balances = new Map(book);
  const accounts = [...new Set([...balances.keys(), ...Object.keys(states)])];
  const differing = accounts.filter((account) => (balances.get(account) ?? 0n) !== (states[account] ?? 0n));
  const text = (account: string) =>
    `${account} holds ${balances.get(account) ?? 0n} by the book and ${states[account] ?? 0n} by the states`;
  const sum = book.reduce((total, [, amount]) => total + amount, 0n);
  return [
    ...differing.map((account) => ({ invariant: 'book equals states', text: text(account) })),
    ...(sum === 0n ? [] : [{ invariant: 'the trial balance is zero', text: `it is ${sum}` }]),
  ];
}

/** What triggers and the roll-forward keep is what it is derived from. */
async function derivedTablesAgree(database: SimulatedDatabase): Promise<Violation[]> {
  return (await differingTables((statement) => database.query(statement))).map((text) => ({ invariant: 'derived tables agree', text }));
}

/** No attempt offers more than the network's ceiling, or could cost more than a transaction may. */
async function feesBelowCeiling(database: SimulatedDatabase, network: World['network']): Promise<Violation[]> {
  const attempts = await database.query<{ hash: string; offered: string; most: string }>(
    `select a.hash, a.max_fee_per_gas::text as offered, (a.max_fee_per_gas * t.gas_limit)::text as most
     from transaction_attempts a join transactions t on t.id = a.transaction`,
  );
  const ceiling = BigInt(network.feeCeilingGwei * 1e9);
  const transactionCeiling = BigInt(network.transactionFeeCeiling * 1e9) * 10n ** 9n;
  return attempts
    .filter(({ offered, most }) => BigInt(offered) > ceiling || BigInt(most) > transactionCeiling)
    .map(({ hash, offered }) => ({ invariant: 'fees below the ceiling', text: `the attempt ${hash} offers ${offered} wei per gas` }));
}

/** Only a contract account of which a redemption was refused has to wait: what others do costs it nothing. */
async function soundAccountsNeverWait(database: SimulatedDatabase, legs: readonly LegRow[]): Promise<Violation[]> {
  const waiting = await database.query<{ account: string }>('select account from account_backoffs');
  const hasFailed = (account: string) => legs.some((leg) => leg.kind === 'redeem' && leg.state === 'refused' && leg.account === account);
  return customers
    .filter(
      ({ account, contract }) => redeemsSoundly.has(contract) && waiting.some((row) => row.account === account) && !hasFailed(account),
    )
    .map(({ contract }) => ({ invariant: 'sound accounts never wait', text: `an account of the kind "${contract}" waits` }));
}
