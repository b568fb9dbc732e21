import { isAddressEqual } from 'viem';
import type { Proposal } from '../../chain/admin/proposal.ts';
import { type OwnerSignature, signSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import type { SafeAccount } from '../../chain/safe-account.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import { StopError } from '../../platform/errors.ts';

/** Signs a proposal by owners of its Safe. Throws `not_possible`, before anybody signs, and what the signers throw. */
export async function signAsOwners(
  { transaction }: Proposal,
  { owners }: Pick<SafeAccount, 'owners'>,
  signers: readonly Signer[],
): Promise<OwnerSignature[]> {
  const stranger = signers.find(({ address }) => !owners.some((owner) => isAddressEqual(owner, address)));
  if (stranger)
    throw new StopError({
      code: 'not_possible',
      message: `${stranger.address} is no owner of the Safe ${transaction.safe}, whose owners are ${owners.join(', ')}. Nothing was signed`,
    });
  const signatures: OwnerSignature[] = [];
  for (const signer of signers) signatures.push(await signSafeTransaction(transaction, signer));
  return signatures;
}
