import type { ErrorEntry } from './entry.ts';

/** Errors of commands that change a token by its admin. */
export const administrationErrors = {
  no_change: {
    status: null,
    retryable: false,
    meaning: 'The token is already as the command would make it.',
    remedy: 'Nothing; `mintrail token show` shows its state.',
  },
  not_an_operator: {
    status: null,
    retryable: false,
    meaning: 'The account is no operator of the token, so it can have no mint allowance.',
    remedy: 'Grant it the role first: `mintrail token grant operator`.',
  },
  no_daily_limit: {
    status: null,
    retryable: false,
    meaning: 'The operator has no daily limit yet, so it could not issue anything.',
    remedy: 'Give `--daily-mint-limit`.',
  },
  not_an_implementation: {
    status: null,
    retryable: false,
    meaning: 'The address has no code that a token can be upgraded to (ERC-1822).',
    remedy: 'Name the address of an implementation, not of a proxy; without one, the command deploys that of this release.',
  },
  unknown_code: {
    status: null,
    retryable: false,
    meaning: 'The upgrade puts in code that is not that of this release, or not the code whose hash was named. Nothing was signed or sent.',
    remedy:
      'Do not sign what you have not reviewed. Use the release whose code it is; or review the code, and name the hash of what you reviewed with `--code-hash`.',
  },
  role_held_by_others: {
    status: null,
    retryable: false,
    meaning: 'The change needs a role that no signer of the command can use.',
    remedy: 'Sign with an account that the message names.',
  },
  not_a_proposal_account: {
    status: null,
    retryable: false,
    meaning: 'The account that acts is no Safe: it signs by itself, and there is nothing to propose.',
    remedy: 'Leave `--propose` out.',
  },
  unsupported_safe: {
    status: null,
    retryable: false,
    meaning: 'The Safe is of a version that Mintrail does not sign for.',
    remedy: 'Upgrade the Safe to one of the versions that the message names.',
  },
  invalid_proposal: {
    status: null,
    retryable: false,
    meaning: 'The file is not a proposal of `mintrail token`, or is damaged.',
    remedy: 'Ask for the file again.',
  },
  proposal_mismatch: {
    status: null,
    retryable: false,
    meaning: 'The proposal contradicts itself, the chain, or the settings of this machine.',
    remedy: 'Do not sign it, and find out who changed it; or propose the change again.',
  },
  proposal_unwritable: {
    status: null,
    retryable: false,
    meaning: 'The file of the proposal cannot be written, or exists already.',
    remedy: 'Choose another file name.',
  },
  not_an_owner: {
    status: null,
    retryable: false,
    meaning: 'The signer is no owner of the Safe.',
    remedy: 'Sign with an owner that the message names.',
  },
  signatures_missing: {
    status: null,
    retryable: false,
    meaning: 'Fewer owners have signed than the Safe demands.',
    remedy: 'Have more owners sign: `mintrail token sign`.',
  },
  nonce_used: {
    status: null,
    retryable: false,
    meaning: 'The Safe has used the nonce of the proposal for another transaction, so the proposal can never be executed.',
    remedy: 'Propose the change again, if it is still wanted.',
  },
  nonce_not_reached: {
    status: null,
    retryable: true,
    meaning: 'The Safe has not used the nonces before that of the proposal yet, or the node is behind.',
    remedy: 'Try again when it has.',
  },
  timelock_waiting: {
    status: null,
    retryable: true,
    meaning: 'The change waits in the timelock.',
    remedy: 'Run the same command again at the time that the message names.',
  },
  transaction_pending: {
    status: null,
    retryable: true,
    meaning: 'A transaction of the account that pays is not mined yet.',
    remedy: 'Run the same command again later: nothing is done twice.',
  },
  transaction_reverted: {
    status: null,
    retryable: false,
    meaning: 'The transaction reverted, and changed nothing.',
    remedy: 'Look at the transaction, then run the command again.',
  },
} as const satisfies Record<string, ErrorEntry>;
