import type { LegWait } from '../ledger/orders/leg-waits.ts';
import { describeBreach } from '../ledger/reserve/describe-breach.ts';

/** What an open leg waits for, in words that go on behind "waits for". `formatTime` writes a time. */
export function describeAwaited(wait: LegWait, formatTime: (at: Date) => string): string {
  if (wait.state === 'waiting') return awaitedBefore(wait);
  if (wait.chain === null) return awaitedFromBank(wait, formatTime);
  if (wait.dependentOrder !== null) return `the order ${wait.dependentOrder} on ${wait.chain}`;
  if (wait.state === 'ready') return awaitedToBeSent(wait, formatTime);
  if (wait.txState === 'mined') return `the confirmation of block ${wait.block} with transaction ${wait.txHash}`;
  return `a block with transaction ${wait.txHash}, nonce ${wait.nonce} of ${wait.signer}`;
}

function awaitedToBeSent(wait: LegWait, formatTime: (at: Date) => string): string {
  const { chain, claimedBy, heldUntil, heldFor, untilBlock, setAsideBefore, breaches } = wait;
  if (setAsideBefore !== null)
    return `an operator, because ${chain} has an issue under its order's id, ${setAsideBefore}, which was set aside before the order waited for one: see \`mintrail recover\``;
  if (breaches.length > 0) return awaitedForBreaches(breaches, 'issued');
  if (heldUntil !== null)
    return heldFor === 'dust'
      ? `others to share a transaction with, until ${formatTime(heldUntil)} at most`
      : `its profile's gas budget, at ${formatTime(heldUntil)}`;
  if (claimedBy !== null) return `the lane of ${claimedBy}, which has claimed it`;
  const lane = `a lane of ${chain}`;
  return untilBlock === null ? lane : `${lane}, not before block ${untilBlock}, because redemptions of its account failed`;
}

function awaitedBefore({ signatureIsOnChain }: LegWait): string {
  if (signatureIsOnChain === null) return 'the leg before it';
  return signatureIsOnChain ? 'the signature that its account gives on chain' : 'the check of its signature';
}

function awaitedFromBank({ payment, paymentSentAt, bankStatus, breaches }: LegWait, formatTime: (at: Date) => string): string {
  if (breaches.length > 0) return awaitedForBreaches(breaches, 'paid');
  if (payment === null) return 'its payment';
  if (paymentSentAt === null) return `a payment file with payment ${payment}`;
  return `the bank, which has payment ${payment} since ${formatTime(paymentSentAt)}${bankStatus === null ? '' : ` (${bankStatus})`}`;
}

function awaitedForBreaches(breaches: LegWait['breaches'], stopped: 'issued' | 'paid'): string {
  const currency = breaches[0]?.currency ?? '';
  const causes = breaches.map(describeBreach).join('; ');
  return `an operator: no ${currency} is ${stopped} before each breach is explained and acknowledged, as \`mintrail reconcile\` says: ${causes}`;
}
