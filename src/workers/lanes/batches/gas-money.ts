import type { Rpc } from '../../../chain/endpoints/rpc.ts';
import type { Signer } from '../../../chain/signers/signer.ts';

/** For how many batches a balance is good: somebody may have moved money away. */
const batchesPerReading = 32;

/** What a signer holds for gas, asked for only now and then: its own transactions are what it spends. */
export interface GasMoney {
  /** Wei that the signer holds at least when that suffices for `needWei`; else what it holds now. Throws what the node throws. */
  read(needWei: bigint): Promise<bigint>;
  /** A transaction is about to be sent that may cost so much. */
  spend(wei: bigint): void;
}

/** Creates the gas money of a lane, of which nothing is known. */
export function createGasMoney({ rpc, signer: { address } }: { rpc: Rpc; signer: Pick<Signer, 'address'> }): GasMoney {
  let leastWei = 0n;
  let batchesLeft = 0;
  return {
    async read(needWei) {
      batchesLeft -= 1;
      if (batchesLeft < 0 || leastWei < needWei) {
        leastWei = await rpc.getBalance({ address });
        batchesLeft = batchesPerReading;
      }
      return leastWei;
    },
    spend(wei) {
      leastWei -= wei;
    },
  };
}
