import type { ErrorEntry } from './entry.ts';

/** Errors of keys and signers. */
export const signerErrors = {
  no_signer: {
    status: null,
    retryable: false,
    meaning: 'The network has no signer, or the file of keys is missing or empty.',
    remedy: 'Set the signers of the network, such as `GNOSIS_SIGNERS`.',
  },
  invalid_signer: {
    status: null,
    retryable: false,
    meaning: 'The reference to a signer does not have one of the known forms.',
    remedy: 'Use `keystore:PATH`, `awskms:KEY` or `web3signer:URL/0xADDRESS`.',
  },
  invalid_signer_key: {
    status: null,
    retryable: false,
    meaning: 'The text is not a private key of secp256k1.',
    remedy: 'Check the signers of the network, such as `GNOSIS_SIGNERS`.',
  },
  duplicate_signer: {
    status: null,
    retryable: false,
    meaning: 'Two references of a network lead to the same address.',
    remedy: 'Name each signer once.',
  },
  raw_key_in_production: {
    status: null,
    retryable: false,
    meaning: 'A raw private key is configured in production.',
    remedy: 'Use a keystore, AWS KMS or a remote signer.',
  },
  no_keystore: {
    status: null,
    retryable: false,
    meaning: 'The keystore file cannot be read.',
    remedy: 'Check its path and permissions.',
  },
  invalid_keystore: {
    status: null,
    retryable: false,
    meaning: 'The file is not a keystore of version 3, or its address is not that of its key.',
    remedy: 'Create it again with `mintrail signer create`.',
  },
  wrong_keystore_password: {
    status: null,
    retryable: false,
    meaning: 'The password does not open the keystore, or the file was altered.',
    remedy:
      'Check the password: `<NETWORK>_KEYSTORE_PASSWORD` for signers, `<NETWORK>_DEPLOYER_PASSWORD` for the deployer, `--password-file` for the keystores of `--signer`.',
  },
  no_keystore_password: {
    status: null,
    retryable: false,
    meaning: 'There is no password for the keystore.',
    remedy: 'Set the variable that the message names, such as `GNOSIS_KEYSTORE_PASSWORD`, or name a file with `--password-file`.',
  },
  keystore_not_written: {
    status: null,
    retryable: false,
    meaning: 'The keystore cannot be written, or a file of this name exists.',
    remedy: 'Choose another file name.',
  },
  signer_unreachable: {
    status: null,
    retryable: true,
    meaning: 'The service that keeps the key does not answer.',
    remedy: 'Nothing was sent; the lane tries again.',
  },
  signer_refused: {
    status: null,
    retryable: false,
    meaning: 'The service that keeps the key refuses to sign with it.',
    remedy: "Check the key's state and policy, and the credentials of this process.",
  },
  signer_without_key: {
    status: null,
    retryable: false,
    meaning: 'The remote signer does not keep the key of this address.',
    remedy: 'Correct the address, or load the key there.',
  },
  signature_not_of_signer: {
    status: null,
    retryable: false,
    meaning: 'The signature does not belong to the address of the signer.',
    remedy: 'Nothing was sent; check which key the signer uses.',
  },
} as const satisfies Record<string, ErrorEntry>;
