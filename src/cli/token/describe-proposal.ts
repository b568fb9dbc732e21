import { type Address, isAddressEqual } from 'viem';
import { eMoneyTokenBytecode } from '../../../abis/bytecode.ts';
import { type AdminCall, type AdministeredToken, describeAdminCall } from '../../chain/admin/admin-call.ts';
import { callOf, type Proposal } from '../../chain/admin/proposal.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';
import { create2 } from '../../chain/deploy/create2.ts';

/** Lines that say what a call does, with notes on what it means. */
export function describeCall(call: AdminCall, token: AdministeredToken): string[] {
  return [`change      ${describeAdminCall(call, token)}`, ...cautions(call).map((caution) => `note        ${caution}`)];
}

/** Lines for whoever signs or executes a proposal. Owners on several machines compare the hash. */
export function describeProposal(proposal: Proposal): string[] {
  const { transaction, token, signatures } = proposal;
  return [
    ...describeCall(callOf(proposal), token),
    `Safe        ${transaction.safe}, its transaction ${transaction.nonce}`,
    `hash        ${hashSafeTransaction(transaction)}`,
    ...signatures.map(({ signer }) => `signed by   ${signer}`),
  ];
}

function cautions({ change }: AdminCall): string[] {
  if (change.kind === 'upgrade')
    return [
      isOfThisRelease(change.implementation)
        ? 'it is the code of this release of Mintrail'
        : 'it is NOT the code of this release of Mintrail: find out what it is before you sign',
    ];
  if (change.kind === 'revoke' && change.role === 'UPGRADER_ROLE')
    return ['if nobody else holds this role, the token can never be upgraded again, and nobody can choose who sets allowances'];
  return [];
}

/** The address follows from the code (CREATE2), so this needs no chain. */
function isOfThisRelease(implementation: Address): boolean {
  return isAddressEqual(implementation, create2(eMoneyTokenBytecode).address);
}
