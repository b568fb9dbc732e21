import type { Hex } from 'viem';
import { eMoneyTokenAbi } from '../../../abis/eMoneyToken.ts';
import type { Rpc } from '../endpoints/rpc.ts';

/** The range in which a token may set it (contracts/src/EMoneyToken.sol). An answer outside of it is that of a node that errs. */
const leastGas = 50_000n;
const mostGas = 1_000_000n;

/** Reads the gas that tokens let the signature check of a contract account spend, each once. */
export interface SignatureGasReader {
  /** Throws what the node throws when it does not answer. */
  read(token: Hex): Promise<bigint>;
  /** Forgets what was read of a token: an upgrade may have changed it. */
  forget(token: Hex): void;
}

/** Creates a reader that has read nothing. */
export function createSignatureGasReader(rpc: Rpc): SignatureGasReader {
  const known = new Map<Hex, bigint>();
  return {
    async read(token) {
      const gas = known.get(token) ?? within(await rpc.readContract({ address: token, abi: eMoneyTokenAbi, functionName: 'signatureGas' }));
      known.set(token, gas);
      return gas;
    },
    forget(token) {
      known.delete(token);
    },
  };
}

function within(gas: bigint): bigint {
  if (gas < leastGas) return leastGas;
  return gas > mostGas ? mostGas : gas;
}
