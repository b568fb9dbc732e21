import type { Board } from './board.ts';

/** Heads, lanes, fees, signers, endpoints and indexers of all networks. */
export const networks: Board = {
  name: 'networks',
  title: 'Mintrail: networks',
  description: 'Heads, lanes, fees, signers, endpoints and indexers.',
  rows: [
    [
      'Heads and indexers',
      [
        {
          title: 'Blocks per minute',
          description: 'How fast the head advances. 0 means that it stands still.',
          kind: 'timeseries',
          unit: 'blocks',
          queries: [['60 * max by (chain) (deriv(mintrail_chain_head_block[5m]))', '{{chain}}']],
        },
        {
          title: 'Indexer lag',
          description: 'Blocks that are not indexed yet. What is not indexed is not settled.',
          kind: 'timeseries',
          unit: 'blocks',
          queries: [['max by (chain) (mintrail_indexer_lag_blocks)', '{{chain}}']],
        },
        {
          title: 'Indexed block',
          description: 'The newest block that is indexed.',
          kind: 'stat',
          unit: 'blocks',
          queries: [['max by (chain) (mintrail_indexer_block)', '{{chain}}']],
        },
        {
          title: 'Indexers that are ready',
          description: '1 once past blocks are indexed.',
          kind: 'stat',
          unit: 'short',
          queries: [['max by (chain) (mintrail_indexer_ready)', '{{chain}}']],
        },
        {
          title: 'Restarts of Ponder in an hour',
          description: 'An indexer restarts a Ponder that stands still.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['sum by (chain) (increase(mintrail_indexer_restarts_total[1h]))', '{{chain}}']],
        },
      ],
    ],
    [
      'Lanes',
      [
        {
          title: 'Lanes that are held',
          description: 'A lane that no worker holds sends nothing.',
          kind: 'stat',
          unit: 'short',
          queries: [['sum by (chain) (mintrail_lanes_held)', '{{chain}}']],
        },
        {
          title: 'Lanes without a signer',
          description: 'Their signer does not sign.',
          kind: 'stat',
          unit: 'short',
          badFrom: 1,
          queries: [['sum by (chain) (mintrail_lanes_without_signer)', '{{chain}}']],
        },
        {
          title: 'Transactions in flight',
          description: 'In no block yet, by lane.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['max by (chain, signer) (mintrail_lane_transactions_in_flight)', '{{chain}} {{signer}}']],
        },
        {
          title: 'Nonce gaps',
          description: 'Free nonces below one in use: nothing above them is mined.',
          kind: 'timeseries',
          unit: 'short',
          badFrom: 1,
          queries: [['max by (chain, signer) (mintrail_lane_nonce_gaps)', '{{chain}} {{signer}}']],
        },
        {
          title: 'Open transactions',
          description: 'Sent, and mined but not settled.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['max by (chain, state) (mintrail_open_transactions)', '{{chain}} {{state}}']],
        },
        {
          title: 'Fee offered against the ceiling',
          description: 'At the ceiling transactions wait until the price falls.',
          kind: 'timeseries',
          unit: 'gwei',
          queries: [
            ['max by (chain) (mintrail_offered_fee_wei) / 1e9', '{{chain}} offered'],
            ['max by (chain) (mintrail_fee_ceiling_wei) / 1e9', '{{chain}} ceiling'],
          ],
        },
        {
          title: 'Reverts in an hour',
          description: 'Each costs gas and carries nothing out.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['sum by (chain) (increase(mintrail_reverts_total[1h]))', '{{chain}}']],
        },
        {
          title: 'Gas used per minute',
          description: 'Reverted transactions included.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['60 * sum by (chain) (rate(mintrail_gas_used_total[$__rate_interval]))', '{{chain}}']],
        },
      ],
    ],
    [
      'Signers and settling',
      [
        {
          title: 'Gas money',
          description: 'What each signer holds, in the coin of the network.',
          kind: 'timeseries',
          unit: 'eth',
          queries: [['min by (chain, signer) (mintrail_signer_balance_wei) / 1e18', '{{chain}} {{signer}}']],
        },
        {
          title: 'Mint allowance',
          description: 'What each signer may still issue.',
          kind: 'timeseries',
          unit: 'currency',
          queries: [['min by (chain, signer, currency) (mintrail_signer_mint_allowance)', '{{chain}} {{currency}} {{signer}}']],
        },
        {
          title: 'Disagreements in an hour',
          description:
            'Looks at which endpoints contradicted each other, or the chain contradicted the index. Nothing is settled meanwhile.',
          kind: 'timeseries',
          unit: 'short',
          badFrom: 1,
          queries: [['sum by (chain, between) (increase(mintrail_settling_disagreements_total[1h]))', '{{chain}} {{between}}']],
        },
        {
          title: 'Alarms of the workers',
          description: 'By kind.',
          kind: 'timeseries',
          unit: 'short',
          queries: [['max by (chain, kind) (mintrail_alarms)', '{{chain}} {{kind}}']],
        },
      ],
    ],
    [
      'Endpoints',
      [
        {
          title: 'Requests by result',
          description: 'Error: the node answered with one. Outage: it did not answer.',
          kind: 'timeseries',
          unit: 'reqps',
          queries: [
            ['sum by (chain, endpoint, result) (rate(mintrail_rpc_requests_total[$__rate_interval]))', '{{chain}} {{endpoint}} {{result}}'],
          ],
        },
        {
          title: 'Requests by method',
          description: 'What a provider counts.',
          kind: 'timeseries',
          unit: 'reqps',
          queries: [['sum by (method) (rate(mintrail_rpc_requests_total[$__rate_interval]))', '{{method}}']],
        },
        {
          title: 'Time of endpoints, 95 %',
          description: 'Until an endpoint had answered, or was given up.',
          kind: 'timeseries',
          unit: 's',
          queries: [
            [
              'histogram_quantile(0.95, sum by (le, chain, endpoint) (rate(mintrail_rpc_request_duration_seconds_bucket[$__rate_interval])))',
              '{{chain}} {{endpoint}}',
            ],
          ],
        },
      ],
    ],
  ],
};
