import { type Log, parseEventLogs } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import { hexToUuid } from '../../platform/uuid.ts';

/** What a token contract logged of an issue or a redemption. */
export interface LoggedOutcome {
  kind: 'issue' | 'redeem';
  /** The contract's address, in small letters. */
  token: string;
  /** The order id that the transaction named: anyone with an operator's key can name any. */
  orderId: string;
  /** In small letters. */
  account: string;
  /** Token units. */
  amount: bigint;
  /** Null for a redemption. */
  sequence: bigint | null;
  /** EIP-191 hash of the message; null for an issue. */
  messageHash: string | null;
  /** Number in `IssueRefusal` or `RedemptionRefusal`; null when it was carried out. */
  refusal: number | null;
}

/** The outcomes in the logs of a transaction, of whichever contracts. Logs of other events are left out. */
export function outcomesOf(logs: readonly Log[]): LoggedOutcome[] {
  const events = parseEventLogs({
    abi: eMoneyTokenAbi,
    eventName: ['Issued', 'IssueRefused', 'Redeemed', 'RedemptionRefused'],
    logs: [...logs],
  });
  return events.map(({ address, args }) => ({
    kind: 'sequence' in args ? 'issue' : 'redeem',
    token: address.toLowerCase(),
    orderId: hexToUuid(args.orderId.slice(2)) ?? args.orderId,
    account: args.account.toLowerCase(),
    amount: args.amount,
    sequence: 'sequence' in args ? args.sequence : null,
    messageHash: 'messageHash' in args ? args.messageHash : null,
    refusal: 'reason' in args ? args.reason : null,
  }));
}
