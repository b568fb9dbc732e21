import { formatGwei, formatUnits } from 'viem';
import type { Fees } from '../../chain/fees.ts';
import type { Refusal } from '../../chain/refusals.ts';
import type { OpenTransaction } from '../../ledger/lanes/unmined-transactions.ts';
import { chainFacts } from '../../platform/chains.ts';
import { type NetworkSettings, networkVariable } from '../../platform/settings.ts';
import type { ProblemKind } from '../../problems/catalogue.ts';
import type { Alarm, Alarms } from '../alarms.ts';

/** A transaction that is in no block is nothing unusual for so many blocks, and for at least so long (docs/operations/watching.md, Alarms). */
const [usualBlocks, usualSeconds] = [20, 120];

/** The alarms about a transaction that is in no block. */
const unminedKinds: ReadonlySet<Alarm['kind']> = new Set(['gas_money', 'fee_ceiling', 'transaction_refused', 'transaction_unmined']);

interface AlarmDeps {
  alarms: Alarms;
  signer: { address: string };
  network: NetworkSettings;
}

/** Raises what keeps one transaction out of the blocks, and ends what no longer does. */
export interface UnminedAlarms {
  /** The nodes have it, or refuse it in this way. A refusal that says nothing about the transaction leaves the alarms as they are. */
  answered(refusal: Refusal | undefined): void;
  /** The market asks for more than it may offer; `sources` is what each endpoint says of the base fee. */
  ceilingReached(offered: Fees, ceiling: bigint, sources: string): void;
  /** What it offers suffices, or can be raised. */
  ceilingNotReached(): void;
  /** Its node lets no transaction cost as much as this one must offer. */
  nodeCapReached(refusal: Refusal): void;
  /** It waits at the head `block`: longer than usual is an alarm. */
  waiting(block: bigint, refusal: Refusal | undefined): void;
}

/** The alarms about one transaction of a lane. */
export function unminedAlarms({ alarms, signer, network }: AlarmDeps, transaction: OpenTransaction): UnminedAlarms {
  const subject = subjectOf(signer, transaction);
  const title = `the transaction ${transaction.attempts[0]?.hash} with nonce ${transaction.nonce} of ${signer.address}`;
  const ceilings = `${networkVariable(network.chain, 'feeCeilingGwei')} and ${networkVariable(network.chain, 'transactionFeeCeiling')}`;
  const raiseWhile = (isRaised: boolean, kind: ProblemKind, text: string) => {
    if (isRaised) alarms.raise(kind, subject, text);
    else alarms.clear(kind, subject);
  };
  return {
    answered(refusal) {
      if (refusal?.kind === 'unclear') return;
      const { symbol } = chainFacts(network.chain).currency;
      raiseWhile(
        refusal?.kind === 'unfunded',
        'gas_money',
        `${signer.address} cannot pay for ${title}: send it more ${symbol} (${refusal?.text})`,
      );
      raiseWhile(refusal?.kind === 'invalid', 'transaction_refused', `every node that answers refuses ${title}: ${refusal?.text}`);
    },
    ceilingReached({ maxFeePerGas }, ceiling, sources) {
      const values = `it offers ${formatGwei(maxFeePerGas)} of at most ${formatGwei(ceiling)} gwei${sources && ` (${sources})`}`;
      alarms.raise('fee_ceiling', subject, `the market asks for more than ${title} may offer: ${values}; it waits, or raise ${ceilings}`);
    },
    ceilingNotReached: () => alarms.clear('fee_ceiling', subject),
    nodeCapReached({ text, capWei = 0n }) {
      const { symbol, decimals } = chainFacts(network.chain).currency;
      const cap = `${formatUnits(capWei, decimals)} ${symbol}`;
      alarms.raise('fee_ceiling', subject, `the nodes let no transaction cost more than ${cap}, which ${title} must offer: ${text}`);
    },
    waiting(block, refusal) {
      const blocks = block - transaction.firstSentAtBlock;
      const answer = refusal ? `the nodes do not take it: ${refusal.text}` : 'the nodes have it, and it offers what the market asks for';
      const isLate = blocks >= BigInt(Math.max(usualBlocks, Math.ceil(usualSeconds / network.blockTimeSeconds)));
      raiseWhile(isLate, 'transaction_unmined', `${title} is in no block after ${blocks} blocks: ${answer}`);
    },
  };
}

/** Ends the alarms about transactions of a signer that are no longer among those that wait for a block. */
export function clearUnminedAlarms({ alarms, signer }: Omit<AlarmDeps, 'network'>, unmined: readonly OpenTransaction[]): void {
  const waiting = new Set(unmined.map((transaction) => subjectOf(signer, transaction)));
  for (const { kind, subject } of alarms.list()) {
    const isOfTransaction = unminedKinds.has(kind) && subject.startsWith(`${signer.address} nonce `);
    if (isOfTransaction && !waiting.has(subject)) alarms.clear(kind, subject);
  }
}

function subjectOf(signer: { address: string }, { nonce }: OpenTransaction): string {
  return `${signer.address} nonce ${nonce}`;
}
