import type { ErrorEntry } from './entry.ts';

/** Errors about customers, orders, webhooks and swaps. */
export const resourceErrors = {
  profile_exists: {
    status: 409,
    meaning: 'The user has a profile already.',
    remedy: 'Use the existing profile.',
  },
  profile_not_approved: {
    status: 403,
    meaning: 'Only an approved profile may do this.',
    remedy: 'Complete the profile and wait for its approval.',
  },
  profile_approved: {
    status: 409,
    meaning: 'The profile is approved, and takes no more data.',
    remedy: 'Nothing needs to be submitted again.',
  },
  profile_in_review: {
    status: 409,
    meaning: 'The profile is in review, and takes no data.',
    remedy: 'Wait for the event `profile.updated`.',
  },
  profile_rejected: {
    status: 409,
    meaning: 'The profile was rejected, which is final.',
    remedy: 'Nothing more can be submitted for it.',
  },
  profile_not_in_review: {
    status: 409,
    meaning: 'Only a profile in review can be approved, rejected or sent back.',
    remedy: 'Look at its state with `mintrail profile show`.',
  },
  unknown_person: {
    status: 400,
    meaning: "The person is not part of the company's details.",
    remedy: 'Submit the details first; the profile then lists their ids.',
  },
  unknown_section: {
    status: 400,
    meaning: 'The profile has no such section.',
    remedy: 'Name one of the sections that the message lists.',
  },
  not_shareable: {
    status: 400,
    meaning: 'The profile cannot be shared as the request asks.',
    remedy: 'See the field that `errors` names.',
  },
  antivirus_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'The virus scanner does not answer, or cannot scan the file.',
    remedy: 'Upload it again in a minute. Operators: check clamd at `CLAMD_ADDRESS`.',
  },
  unknown_file: {
    status: 400,
    meaning: 'The file was not uploaded by this application, or by another user of it.',
    remedy: 'Upload it with `POST /files`.',
  },
  address_already_linked: {
    status: 400,
    meaning: 'The address is linked to another profile.',
    remedy: 'Its owner signs a linking message (docs/api.md), or asks the operator.',
  },
  address_not_linked: {
    status: 400,
    meaning: 'The address is not linked to the profile on this chain.',
    remedy: 'Link it with `POST /addresses` first.',
  },
  iban_closed: {
    status: 400,
    meaning: 'The IBAN is closed or was rejected.',
    remedy: 'Use another IBAN of the profile.',
  },
  order_conflict: {
    status: 409,
    meaning: 'The id of the order belongs to a different order.',
    remedy: 'Choose a new id, or leave it out.',
  },
  message_already_used: {
    status: 400,
    meaning: 'The message has authorised an order of this address, or linked it, before.',
    remedy: 'Sign one with the current time.',
  },
  insufficient_balance: {
    status: 400,
    meaning: 'The balance less pending orders does not cover the amount.',
    remedy: 'Order less, or wait for tokens to arrive.',
  },
  quota_exceeded: {
    status: 400,
    meaning: 'Application, profile or user has as many as it may have.',
    remedy: 'Remove one, or ask the operator for more.',
  },
  subscription_inactive: {
    status: 409,
    meaning: 'The webhook subscription is inactive.',
    remedy: 'Activate it, then replay.',
  },
  price_unavailable: {
    status: 503,
    retryable: true,
    meaning: 'There is no current rate for this currency.',
    remedy: 'Try again later. Operators: see the log.',
  },
  maker_balance_too_low: {
    status: 503,
    retryable: true,
    meaning: 'The maker holds too little of the token besides open quotes.',
    remedy: 'Ask for a smaller amount, or try again when quotes have expired.',
  },
  swap_not_configured: {
    status: 503,
    meaning: 'The operator has not configured swaps.',
    remedy: 'Set the variables that the message names.',
  },
} as const satisfies Record<string, ErrorEntry>;
