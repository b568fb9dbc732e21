import type { ErrorEntry } from './entry.ts';

/** Errors of networks, indexers, token contracts and deployments. */
export const networkErrors = {
  unknown_chain: {
    status: null,
    retryable: false,
    meaning: 'The name is not one of the chains that Mintrail knows.',
    remedy: 'Use one of the names that the message lists.',
  },
  network_not_configured: {
    status: null,
    retryable: false,
    meaning: 'The network has no tokens in the settings.',
    remedy: 'Set its `TOKENS`; `mintrail chain add` prints the settings.',
  },
  no_networks: {
    status: null,
    retryable: false,
    meaning: 'No network is configured.',
    remedy: 'Configure at least one, as `mintrail chain add` shows.',
  },
  rpc_not_configured: {
    status: null,
    retryable: false,
    meaning: 'The network has no RPC endpoint.',
    remedy: 'Set its `RPC_URLS`.',
  },
  rpc_unreachable: {
    status: null,
    retryable: true,
    meaning: 'No RPC endpoint of the network answers.',
    remedy: 'Check `RPC_URLS` and the node, then try again.',
  },
  wrong_chain: {
    status: null,
    retryable: false,
    meaning: 'An RPC endpoint serves another chain than the one it is configured for.',
    remedy: 'Correct `RPC_URLS`.',
  },
  logs_unavailable: {
    status: null,
    retryable: false,
    meaning: 'The node does not answer queries for logs.',
    remedy: 'Use another node.',
  },
  log_range_too_large: {
    status: null,
    retryable: false,
    meaning: 'The node answers for so few blocks at a time that the logs cannot be read from the start.',
    remedy: 'Set `START_BLOCK` to the block of the deployment, or use another node.',
  },
  indexer_not_ready: {
    status: 503,
    retryable: true,
    meaning: 'The indexer of the network has not caught up yet.',
    remedy: 'Try again shortly.',
  },
  no_indexed_network: {
    status: null,
    retryable: false,
    meaning: 'Ponder was started without the network that it is to index.',
    remedy: 'Start it with `mintrail indexer --chain NAME`.',
  },
  claim_lost: {
    status: null,
    retryable: true,
    meaning: 'A lane no longer holds the legs that it was about to send.',
    remedy: 'Nothing: the lane claims again.',
  },
  unknown_breach: {
    status: null,
    retryable: false,
    meaning: 'There is no open breach of the reserve for this token.',
    remedy: '`mintrail reconcile` shows the open breaches.',
  },
  refused_by_contract: {
    status: null,
    retryable: false,
    meaning: 'The contract reverted the call.',
    remedy: 'See the reason in the message.',
  },
  no_token: {
    status: null,
    retryable: false,
    meaning: 'No token is named or configured, or there is none at the address.',
    remedy: 'Name one with `--token`, or deploy one.',
  },
  no_deployer: {
    status: null,
    retryable: false,
    meaning: 'No account is configured to pay for deployments.',
    remedy: "Set the network's `DEPLOYER` to a signer.",
  },
  no_factory: {
    status: null,
    retryable: false,
    meaning: 'The factory through which contracts are deployed is missing on this chain.',
    remedy: 'Check that the endpoint serves the right chain.',
  },
  no_mint_allowance: {
    status: null,
    retryable: false,
    meaning: 'The operators would have no mint allowance.',
    remedy: 'Give `--mint-allowance`.',
  },
  not_a_safe: {
    status: null,
    retryable: false,
    meaning: 'The administrator is not a Safe.',
    remedy: 'Create the Safe first, or add `--allow-account`.',
  },
  roles_not_apart: {
    status: null,
    retryable: false,
    meaning: 'One account would hold roles that must be separate.',
    remedy: 'Name another account.',
  },
  not_confirmed: {
    status: null,
    retryable: false,
    meaning: 'The command was not confirmed.',
    remedy: 'Confirm it on a terminal, or add `--yes`.',
  },
  insufficient_gas_funds: {
    status: null,
    retryable: false,
    meaning: 'The account that pays holds less of the native currency than the transaction may cost.',
    remedy: 'Send it more.',
  },
  deployment_pending: {
    status: null,
    retryable: true,
    meaning: 'The deployment was sent and is not mined yet.',
    remedy: 'Run the same command again: it continues and deploys nothing twice.',
  },
  deployment_failed: {
    status: null,
    retryable: false,
    meaning: 'The deployment was reverted.',
    remedy: 'Look at its transaction.',
  },
  deployment_mismatch: {
    status: null,
    retryable: false,
    meaning: 'The deployed token differs from the plan.',
    remedy: 'Do not use it; find out who changed it.',
  },
} as const satisfies Record<string, ErrorEntry>;
