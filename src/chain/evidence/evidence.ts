import type { Hex } from 'viem';
import type { NetworkSettings } from '../../platform/settings.ts';
import { type Endpoint, rpcQuorum } from '../endpoints/endpoints.ts';
import { createEndpointAnswers, type EndpointAnswers } from './endpoint-answers.ts';
import { type ConfirmedBlock, createConfirmedBlockReader } from './confirmed-block.ts';
import { examineTransaction, type TransactionEvidence, type Witness } from './mined-transaction.ts';

/**
 * What the endpoints of a network prove together: no single node is believed where another can be asked. An endpoint that does not answer is
 * an outage and proves nothing.
 */
export interface Evidence {
  /**
   * How far the confirmation policy reaches. Asks each endpoint for a block, once for each `head`, which is the number of the newest block that the caller
   * knows of.
   */
  confirmedBlock(head: bigint): Promise<ConfirmedBlock>;
  /**
   * What a quorum says of a transaction that is said to be in the block `blockNumber`. Only endpoints that have confirmed that block by the last
   * {@link confirmedBlock} are asked. A mined transaction is remembered for a while, any other answer until the next head: what is asked again
   * and again costs no calls.
   */
  transaction(hash: Hex, blockNumber: bigint): Promise<TransactionEvidence>;
  /** What was said of a transaction does not prove what it should: at the next head it is asked for again. */
  doubt(hash: Hex): void;
}

/** Transactions that are remembered: more than are confirmed in a block, and few enough for the memory. */
const rememberedTransactions = 200;

/** Creates the evidence of a network from its endpoints, which see to it that they are of its chain. What they have said to others of the worker at the same head is in `answers`; by default nobody else asks. */
export function createEvidence(
  network: Pick<NetworkSettings, 'chain' | 'confirmations' | 'rpcUrls' | 'rpcQuorum'>,
  endpoints: readonly Endpoint[],
  answers: EndpointAnswers = createEndpointAnswers(),
): Evidence {
  const quorum = rpcQuorum(network);
  const reader = createConfirmedBlockReader({ network, endpoints, quorum });
  const mined = new Map<Hex, TransactionEvidence>();
  const unmined = new Map<Hex, TransactionEvidence>();
  let witnesses: Witness[] = [];
  let lastHead: bigint | undefined;
  return {
    async confirmedBlock(head) {
      const confirmed = await reader.read(head);
      if (head !== lastHead) unmined.clear();
      lastHead = head;
      witnesses = confirmed.answers.flatMap((answer) =>
        answer.state === 'usable' ? [{ endpoint: answer.endpoint, upTo: answer.upTo }] : [],
      );
      return confirmed;
    },
    async transaction(hash, blockNumber) {
      const remembered = mined.get(hash) ?? unmined.get(hash);
      if (remembered) return remembered;
      const able = witnesses.filter(({ upTo }) => upTo >= blockNumber);
      const evidence = await examineTransaction(answers, able, quorum, hash);
      if (evidence.verdict === 'mined') remember(mined, hash, evidence);
      else if (evidence.verdict !== 'unavailable') remember(unmined, hash, evidence);
      return evidence;
    },
    doubt(hash) {
      const evidence = mined.get(hash);
      if (evidence && mined.delete(hash)) remember(unmined, hash, evidence);
    },
  };
}

/** Forgets the older half of what is full. */
function remember(transactions: Map<Hex, TransactionEvidence>, hash: Hex, evidence: TransactionEvidence): void {
  if (transactions.size >= rememberedTransactions)
    for (const oldest of [...transactions.keys()].slice(0, rememberedTransactions / 2)) transactions.delete(oldest);
  transactions.set(hash, evidence);
}
