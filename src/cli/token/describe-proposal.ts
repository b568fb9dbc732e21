import { type AdminCall, describeAdminCall } from '../../chain/admin/admin-call.ts';
import type { AdministeredToken } from '../../chain/token/administered-token.ts';
import type { ImplementationCode } from '../../chain/admin/implementation-code.ts';
import { callOf, type Proposal } from '../../chain/admin/proposal.ts';
import { hashSafeTransaction } from '../../chain/admin/safe-transaction.ts';

/** Lines that say what a call does, with notes on what it means, and the code that an upgrade puts in. */
export function describeCall(call: AdminCall, token: AdministeredToken, code: ImplementationCode | undefined): string[] {
  return [
    `change      ${describeAdminCall(call, token)}`,
    ...(code ? describeCode(code) : []),
    ...cautions(call).map((caution) => `note        ${caution}`),
  ];
}

/** Lines for whoever signs or executes a proposal. Owners on several machines compare the hash. */
export function describeProposal(proposal: Proposal, code: ImplementationCode | undefined): string[] {
  const { transaction, token, signatures } = proposal;
  return [
    ...describeCall(callOf(proposal), token, code),
    `Safe        ${transaction.safe}, its transaction ${transaction.nonce}`,
    `hash        ${hashSafeTransaction(transaction)}`,
    ...signatures.map(({ signer }) => `signed by   ${signer}`),
  ];
}

/** Lines that say which code an upgrade puts in. */
export function describeCode({ hash, isOfThisRelease }: ImplementationCode): string[] {
  return [
    ...(hash === undefined ? [] : [`code hash   ${hash}`]),
    `note        ${
      isOfThisRelease
        ? 'it is the code of this release of Mintrail'
        : 'it is NOT the code of this release of Mintrail: find out what it is before you sign'
    }`,
  ];
}

function cautions({ change }: AdminCall): string[] {
  if (change.kind === 'revoke' && change.role === 'UPGRADER_ROLE')
    return ['if nobody else holds this role, the token can never be upgraded again, and nobody can choose who sets allowances'];
  return [];
}
