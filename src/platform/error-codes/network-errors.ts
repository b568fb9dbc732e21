import type { ErrorEntry } from './entry.ts';

/** Errors of networks, indexers, tokens and signers. */
export const networkErrors = {
  rpc_unreachable: {
    retryable: true,
    meaning: 'No RPC endpoint of the network answers.',
    remedy: 'Check `RPC_URLS` and the node, then try again.',
  },
  wrong_chain: {
    meaning: 'An RPC endpoint serves another chain than the one it is configured for.',
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
    meaning: 'A lane no longer holds the legs that it was about to send.',
    remedy: 'Nothing: the lane claims again.',
  },
  refused_by_contract: {
    meaning: 'The contract reverted the call.',
    remedy: 'See the reason in the message.',
  },
  insufficient_gas_funds: {
    meaning: 'The account that pays holds less of the native currency than the transaction may cost.',
    remedy: 'Send it more.',
  },
  no_change: {
    meaning: 'The token is already as the command would make it.',
    remedy: 'Nothing; `mintrail token show` shows its state.',
  },
  proposal_mismatch: {
    meaning: 'The proposal contradicts itself, the chain, or the settings of this machine.',
    remedy: 'Do not sign it, and find out who changed it; or propose the change again.',
  },
  signatures_missing: {
    meaning: 'Fewer owners have signed than the Safe demands.',
    remedy: 'Have more owners sign: `mintrail token sign`.',
  },
  transaction_reverted: {
    meaning: 'A transaction or a deployment reverted, and changed nothing.',
    remedy: 'Look at the transaction, then run the command again.',
  },
  wrong_keystore_password: {
    meaning: 'The password does not open the keystore, or the file was altered.',
    remedy:
      'Check the password: `<NETWORK>_KEYSTORE_PASSWORD` for signers, `<NETWORK>_DEPLOYER_PASSWORD` for the deployer, `--password-file` for the keystores of `--signer`.',
  },
  signer_unreachable: {
    retryable: true,
    meaning: 'The service that keeps the key does not answer.',
    remedy: 'Nothing was sent; the lane tries again.',
  },
  signer_refused: {
    meaning: 'The service that keeps the key refuses to sign with it.',
    remedy: "Check the key's state and policy, and the credentials of this process.",
  },
  signature_not_of_signer: {
    meaning: 'The signature does not belong to the address of the signer.',
    remedy: 'Nothing was sent; check which key the signer uses.',
  },
} as const satisfies Record<string, ErrorEntry>;
