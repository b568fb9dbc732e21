import type { ErrorEntry } from './entry.ts';

/** Errors of the console and of the accounts of its operators. */
export const consoleErrors = {
  not_signed_in: {
    status: 401,
    retryable: false,
    meaning: 'The request to the console has no session, or its session has ended.',
    remedy: 'Sign in again.',
  },
  sign_in_failed: {
    status: 401,
    retryable: false,
    meaning: 'What was given to sign in to the console is not right, or counts no more. The answer does not say which part.',
    remedy: 'Begin again. An administrator makes a new invitation: `mintrail operator reset NAME`.',
  },
  role_not_sufficient: {
    status: 403,
    retryable: false,
    meaning: 'The role of the operator does not allow this.',
    remedy: 'Let an operator with a role that the message names do it.',
  },
  cross_site_request: {
    status: 403,
    retryable: false,
    meaning: 'The request to the console came from another site, or for another host name.',
    remedy: 'Open the console at its own address; behind a proxy, `CONSOLE_URL` is that address.',
  },
  invalid_operator_name: {
    status: 400,
    retryable: false,
    meaning: 'The name of an operator has characters that the audit log does not keep, or more than 64.',
    remedy: 'Use letters, digits and `.`, `_`, `@`, `-`.',
  },
  operator_exists: {
    status: 409,
    retryable: false,
    meaning: 'There is or was an operator of this name. The audit log has it, so nobody else gets it.',
    remedy: 'Choose another name.',
  },
  operator_not_disabled: {
    status: 409,
    retryable: false,
    meaning: 'Only an operator who is disabled can be enabled.',
    remedy: 'Nothing is to be done; `mintrail operator reset NAME` makes a new invitation.',
  },
  proof_required: {
    status: 403,
    retryable: false,
    meaning:
      'Operators change what they sign in with only within five minutes after they have proven that they have what they sign in with now.',
    remedy: 'Prove it on the page Your account, and send the change again.',
  },
  last_factor: {
    status: 409,
    retryable: false,
    meaning: 'The operator signs in with nothing else, and would be locked out without it.',
    remedy: 'Add another passkey first, or an authenticator app and a password.',
  },
  no_invitation_code: {
    status: 404,
    retryable: false,
    meaning:
      'An invitation that a second person approved takes a link, which the approver gets, and a code, which only the operator who asked for it makes. There is no such invitation for you.',
    remedy: 'The operator who asked for the invitation makes the code. After it was accepted or has expired, ask for a new one.',
  },
  unknown_operator: {
    status: 404,
    retryable: false,
    meaning: 'There is no operator of this name.',
    remedy: '`mintrail operator list` shows all.',
  },
  unknown_action: {
    status: 404,
    retryable: false,
    meaning: 'The console has no action of this name.',
    remedy: 'Load the console again: it may be of another version.',
  },
  unknown_approval: {
    status: 404,
    retryable: false,
    meaning: 'There is no approval of this id.',
    remedy: 'Look at the list of approvals.',
  },
  approval_not_waiting: {
    status: 409,
    retryable: false,
    meaning: 'The approval has been decided, withdrawn or has expired, or it is not what was looked at.',
    remedy: 'Look at it again.',
  },
  action_not_as_read: {
    status: 409,
    retryable: false,
    meaning: 'What the action is done to has changed since the operators read what it would do: it would do something else by now.',
    remedy: 'Look at it again, and ask for it again if it is still right.',
  },
  own_approval: {
    status: 403,
    retryable: false,
    meaning: 'Nobody approves or refuses what they have asked for themselves.',
    remedy: 'Let another operator decide; you can withdraw it.',
  },
  too_many_approvals: {
    status: 409,
    retryable: false,
    meaning: 'So many requests of this operator wait for a second person that no more are taken.',
    remedy: 'Have them decided, or withdraw some.',
  },
  too_many_uploads: {
    status: 409,
    retryable: false,
    meaning: 'The uploaded files of the bank that wait for a second person, of this operator or of all, have no room for another one.',
    remedy: 'Have them approved or refused first, or import the file by `mintrail bank import`.',
  },
  unknown_safe_transaction: {
    status: 404,
    retryable: false,
    meaning: 'There is no prepared transaction of a Safe with this id.',
    remedy: 'Look at the list of the Safes’ transactions.',
  },
  safe_transaction_ended: {
    status: 409,
    retryable: false,
    meaning: 'The transaction of the Safe was executed, replaced or withdrawn: it takes no more signatures.',
    remedy: 'Prepare the change again, if it is still wanted.',
  },
  too_many_safe_transactions: {
    status: 409,
    retryable: false,
    meaning: 'So many transactions of this Safe wait for signatures that no more are prepared.',
    remedy: 'Have them executed, or withdraw some.',
  },
} as const satisfies Record<string, ErrorEntry>;
