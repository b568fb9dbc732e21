import type { Hex, TransactionReceipt } from 'viem';
import type { Endpoint } from '../../../chain/endpoints/endpoints.ts';
import { type EndpointAnswers, firstReceipt } from '../../../chain/evidence/endpoint-answers.ts';
import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import { transactionOfAttempt } from '../../../ledger/lanes/lane-nonces.ts';
import { markFailed } from '../../../ledger/lanes/transactions.ts';
import type { OpenTransaction } from '../../../ledger/lanes/unmined-transactions.ts';
import { tracesOfTransaction } from '../../../ledger/orders/traces/order-traces.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { Alarms } from '../../alarms.ts';
import { blocksSince } from '../blocks-since.ts';
import { findNonceUser } from './nonce-user.ts';
import type { OutsideUse } from './outside-use.ts';
import { controlReceipts, findReceipt } from './receipts.ts';
import { type ReceiptDeps, recordReceipt } from './record-receipt.ts';
import { logFailedAnswer } from './failed-answer.ts';

/**
 * Blocks after which a transaction without a receipt is given up when its nonce is used and no node can show by which transaction. Sending
 * its legs again is harmless even if that is wrong.
 */
const givenUpAfterBlocks = 8n;

/** Blocks after which receipts that are missing are an outage: a node may have them a little later than the count. */
const missingForBlocks = 2n;

/** Blocks for which a node's word is good that a transaction is in a block, without a receipt: the block may be on a fork of its own. */
const minedAsForBlocks = 4n;

/** Transactions without a receipt that are looked into per block. They are rare, and each takes about ten requests. */
const lookedIntoPerBlock = 4;

interface UsedNoncesDeps extends ReceiptDeps {
  rpc: Rpc;
  /** Clients of the single endpoints; without them, `rpc` alone has receipts. */
  endpoints?: readonly Endpoint[] | undefined;
  /** Receipts that the endpoints have shown to others of the worker; by default nobody else asks. */
  answers?: EndpointAnswers | undefined;
  signer: { address: LowerAddress };
  alarms: Alarms;
  outsideUse: OutsideUse;
}

/** What becomes of transactions whose nonces the chain has used. */
export interface UsedNonces {
  /**
   * Records what the receipts of these transactions say at the head `block`. One without a receipt is mined all the same when the chain shows that
   * its nonce is its own, and lost when the nonce is another's. A node that does not answer decides nothing. Returns whether what became of each is recorded.
   */
  resolve(transactions: readonly OpenTransaction[], block: bigint): Promise<boolean>;
  /** Forgets what earlier blocks have shown: a reorganisation has replaced some. */
  forget(): void;
}

/** What is known of a transaction whose nonce is used and which has no receipt. */
interface Unexplained {
  /** The heads at which that was first seen, and at which it was last looked into. */
  since: bigint;
  lookedAt: bigint;
  /** The hash under which it is in a block, by a node that has no receipt of it, and the head at which that was seen. */
  minedAs?: { hash: string; at: bigint };
  /** Whether a node was seen to serve the receipt of another transaction since. */
  hasControl: boolean;
  /** While recent blocks are empty, the block below which such a transaction is looked for next: farther back at each head. */
  controlFrom?: bigint;
}

/** Creates the look at used nonces of one lane. */
export function createUsedNonces(deps: UsedNoncesDeps): UsedNonces {
  const { ledger, rpc, endpoints = [], answers, signer, log, outsideUse } = deps;
  const unexplained = new Map<string, Unexplained>();

  /** Whether the transaction is explained: it has a receipt, or its nonce is another's. */
  async function explain(transaction: OpenTransaction, block: bigint): Promise<boolean> {
    const known = unexplained.get(transaction.id) ?? { since: block, lookedAt: block, hasControl: false };
    known.lookedAt = block;
    unexplained.set(transaction.id, known);
    if (known.minedAs && blocksSince(known.minedAs.at, block) >= minedAsForBlocks) delete known.minedAs;
    const receipt = await receiptOf(transaction, known);
    if (receipt) await recordReceipt(deps, transaction, receipt);
    else if (known.minedAs || !(await isAnothers(transaction, block, known))) return false;
    unexplained.delete(transaction.id);
    return true;
  }

  async function receiptOf({ attempts }: OpenTransaction, { minedAs }: Unexplained): Promise<TransactionReceipt | undefined> {
    if (minedAs) {
      const clients = endpoints.length > 0 ? endpoints.map((endpoint) => endpoint.rpc) : [rpc];
      const receipts = await Promise.all(clients.map((client) => findReceipt(client, minedAs.hash).catch(() => undefined)));
      return receipts.find((receipt) => receipt !== undefined);
    }
    for (const { hash } of attempts) {
      const receipt = await (answers ? firstReceipt(answers, endpoints, hash as Hex) : findReceipt(rpc, hash));
      if (receipt) return receipt;
    }
    return undefined;
  }

  /** Whether the nonce is known to be used by another transaction, or must be taken to be: then the transaction is lost. */
  async function isAnothers(transaction: OpenTransaction, block: bigint, known: Unexplained): Promise<boolean> {
    const { id, nonce } = transaction;
    const user = await findNonceUser(rpc, { signer: signer.address, nonce, head: block, endpoints });
    const owner = user?.hash && (await transactionOfAttempt(ledger, user.hash));
    if (user?.hash && owner === id) {
      known.minedAs = { hash: user.hash, at: block };
      return false;
    }
    if (!user) {
      known.hasControl ||= await hasReceiptControl(known, block);
      if (!known.hasControl || blocksSince(known.since, block) < givenUpAfterBlocks) return false;
    }
    const traces = await tracesOfTransaction(ledger, id);
    await markFailed(ledger, id, { state: 'lost' });
    const facts = { txHash: transaction.attempts[0]?.hash, nonce: nonce.toString(), usedBy: user?.hash, ...traces };
    if (owner !== undefined) log.warn(facts, 'an earlier transaction of this ledger used the nonce: the legs are ready again');
    else {
      log.error(facts, 'the nonce was used outside of this ledger: the legs are ready again');
      outsideUse.report({ from: nonce, upTo: nonce, user }, block);
    }
    return true;
  }

  /** On a quiet chain the recent blocks are empty, and the control is an older transaction. */
  async function hasReceiptControl(known: Unexplained, block: bigint): Promise<boolean> {
    const recent = await controlReceipts(rpc, block);
    if (recent.isServed !== undefined) return recent.isServed;
    const older = await controlReceipts(rpc, known.controlFrom ?? recent.next);
    // A node that forgets old receipts is looked at from the recent ones again.
    if (older.isServed === undefined && older.next >= 0n) known.controlFrom = older.next;
    else delete known.controlFrom;
    return older.isServed === true;
  }

  return {
    forget: () => unexplained.clear(),
    async resolve(transactions, block) {
      const ids = new Set(transactions.map(({ id }) => id));
      for (const id of unexplained.keys()) if (!ids.has(id)) unexplained.delete(id);
      const lastLook = ({ id }: OpenTransaction) => unexplained.get(id)?.lookedAt ?? -1n;
      let looksLeft = lookedIntoPerBlock;
      for (const transaction of transactions.toSorted((a, b) => (lastLook(a) < lastLook(b) ? -1 : 1))) {
        if (looksLeft === 0) break;
        const explained = await explain(transaction, block).catch((error: unknown) => logFailedAnswer(log, error, transaction.nonce));
        if (explained !== true) looksLeft -= 1;
      }
      alarmMissingReceipts(deps, [...unexplained.values()], block);
      return looksLeft === lookedIntoPerBlock;
    },
  };
}

function alarmMissingReceipts({ alarms, signer }: UsedNoncesDeps, unexplained: readonly Unexplained[], block: bigint): void {
  const missing = unexplained.filter(({ since }) => blocksSince(since, block) >= missingForBlocks);
  if (missing.length === 0) return alarms.clear('receipts_missing', signer.address);
  alarms.raise(
    'receipts_missing',
    signer.address,
    `The chain has used the nonces of ${missing.length} transactions of ${signer.address}, and the nodes have no receipts of them. Nothing is taken ` +
      `for lost as long as no node shows which transactions used the nonces. Check the endpoints: they must serve receipts of recent blocks.`,
  );
}
