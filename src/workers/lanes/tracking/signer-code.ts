import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { LowerAddress } from '../../../platform/addresses.ts';
import type { Log } from '../../../platform/log.ts';
import type { Alarms } from '../../alarms.ts';
import { blocksSince } from '../blocks-since.ts';
import { logFailedAnswer } from './failed-answer.ts';

/** Blocks after which an account that has code is looked at again, to end the alarm. */
const checkedAgainAfterBlocks = 32n;

/** An authorisation by EIP-7702 leaves this, followed by the address whose code the account runs. */
const delegationPrefix = '0xef0100';

/** Shows the operator that a signer's account has code: anybody who calls it may use up its nonces. */
export interface SignerCode {
  /** Has the next {@link run} look: the signer's nonces were used outside of this ledger. */
  suspect(): void;
  /** Looks at the head `block` when the lane was just taken, on suspicion, and now and then while there is code; else it asks nothing. */
  run(block: bigint): Promise<void>;
}

/** Creates the look at one lane's signer. */
export function createSignerCode({
  rpc,
  signer: { address },
  alarms,
  log,
}: {
  rpc: Rpc;
  signer: { address: LowerAddress };
  alarms: Alarms;
  log: Log;
}): SignerCode {
  let isDue = true;
  let hadCodeAt: bigint | undefined;

  async function look(block: bigint): Promise<void> {
    const code = await rpc.getCode({ address });
    isDue = false;
    hadCodeAt = code === undefined ? undefined : block;
    if (code === undefined) return alarms.clear('signer_has_code', address);
    const isDelegation = code.startsWith(delegationPrefix);
    const what = isDelegation ? `runs the code of 0x${code.slice(delegationPrefix.length)} (EIP-7702)` : 'is a contract';
    alarms.raise(
      'signer_has_code',
      address,
      `The account of the signer ${address} ${what}, and a signer never has code: anybody who calls it may use up its nonces. Who did that has the ` +
        'key: revoke its operator role (mintrail token revoke) and give the operator another key.',
    );
  }

  return {
    suspect() {
      isDue = true;
    },
    async run(block) {
      const isOver = hadCodeAt !== undefined && blocksSince(hadCodeAt, block) >= checkedAgainAfterBlocks;
      if (isDue || isOver) await look(block).catch((error: unknown) => logFailedAnswer(log, error));
    },
  };
}
