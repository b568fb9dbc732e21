import type { ErrorEntry } from './entry.ts';

/** Errors of networks, indexers, tokens and signers. */
export const networkErrors = {
  rpc_unreachable: {
    retryable: true,
    meaning: 'No RPC endpoint of the network answers.',
    remedy: 'Check `RPC_URLS` and the node, then try again.',
  },
  wrong_chain: {
    meaning: 'An RPC endpoint serves another chain.',
    remedy: 'Correct `RPC_URLS`.',
  },
  indexer_not_ready: {
    status: 503,
    retryable: true,
    meaning: 'The indexer of the network has not caught up yet.',
    remedy: 'Try again shortly.',
  },
  claim_lost: {
    retryable: true,
    meaning: 'A lane no longer holds the legs that it was to send.',
    remedy: 'Nothing: the lane claims again.',
  },
  refused_by_contract: {
    meaning: 'The contract reverted the call.',
    remedy: 'See the reason in the message.',
  },
  insufficient_gas_funds: {
    meaning: 'The account that pays holds less than the transaction may cost.',
    remedy: 'Send it more.',
  },
  no_change: {
    meaning: 'The token is so already.',
    remedy: 'Nothing (`mintrail token show`).',
  },
  proposal_mismatch: {
    meaning: 'The proposal contradicts itself, the chain, or the settings of this machine.',
    remedy: 'Do not sign it; find out who changed it, or propose anew.',
  },
  signatures_missing: {
    meaning: 'Fewer owners have signed than the Safe demands.',
    remedy: 'Have more owners sign: `mintrail token sign`.',
  },
  transaction_reverted: {
    meaning: 'A transaction or deployment reverted, and changed nothing.',
    remedy: 'Look at it, then run the command again.',
  },
  wrong_keystore_password: {
    meaning: 'The password does not open the keystore, or the file was altered.',
    remedy: 'Check `<NETWORK>_KEYSTORE_PASSWORD`, `<NETWORK>_DEPLOYER_PASSWORD`, or `--password-file` of `--signer`.',
  },
  signer_unreachable: {
    retryable: true,
    meaning: 'The service that keeps the key does not answer.',
    remedy: 'Nothing: the lane tries again.',
  },
  signer_refused: {
    meaning: 'The service that keeps the key refuses to sign.',
    remedy: "Check the key's state and policy, and this process's credentials.",
  },
  signature_not_of_signer: {
    meaning: "The signature is not of the signer's address.",
    remedy: 'Check which key the signer uses.',
  },
} as const satisfies Record<string, ErrorEntry>;
