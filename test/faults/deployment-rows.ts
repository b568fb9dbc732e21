import { createPublicClient, http } from 'viem';
import { until } from '../support/until.ts';
import type { RpcFault } from '../support/chain/rpc-faults.ts';
import type { KmsFault } from '../support/signers/fake-kms.ts';
import type { Web3signerFault } from '../support/signers/fake-web3signer.ts';
import type { Deployment } from './deployment.ts';
import { byStatus, type FaultRow } from './fault-row.ts';
import type { FaultWorld } from './world.ts';

function deploymentOf({ deployment }: FaultWorld): Deployment {
  if (deployment === undefined) throw new Error('the sandbox is not set up as a deployment');
  return deployment;
}

/** A row of a sandbox that is set up as a deployment, of which something begins and ends. */
function row(
  name: string,
  begin: (deployment: Deployment) => unknown,
  end: (deployment: Deployment) => unknown,
  options: Partial<FaultRow> = {},
): FaultRow {
  return {
    name,
    isDeployed: true,
    begin: async (world) => void (await begin(deploymentOf(world))),
    end: async (world) => void (await end(deploymentOf(world))),
    named: byStatus,
    ...options,
  };
}

/** It is named and nothing waits for it, so it is not overdue. */
const byEndpoint: FaultRow['named'] = async (world) => (await world.problems()).find((kind) => kind.startsWith('endpoint_'));

const endpoint = (name: string, fault: (url: string) => RpcFault | Promise<RpcFault>): FaultRow =>
  row(
    `the first of three endpoints ${name}`,
    async ({ endpoints: [first] }) => first.fail(await fault(first.url)),
    ({ endpoints }) => endpoints[0].heal(),
    { named: byEndpoint },
  );

/** The newest block is the one of now, and its number goes on unless `stands`. */
async function keepsNewestBlock(url: string, stands: boolean): Promise<RpcFault> {
  const client = createPublicClient({ transport: http(url) });
  const whole = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', true] });
  if (whole === null) throw new Error('the endpoint has no block');
  const block = { ...whole, transactions: whole.transactions.map((sent) => (typeof sent === 'string' ? sent : sent.hash)) };
  return {
    lies: {
      ...(stands && { eth_blockNumber: () => whole.number }),
      eth_getBlockByNumber: (result, [tag, isWhole]) => (tag !== 'latest' ? result : isWhole === true ? whole : block),
    },
  };
}

const endpointRows: readonly FaultRow[] = [
  endpoint('is gone', () => 'refuses'),
  endpoint('hangs', () => 'hangs'),
  endpoint('answers after 10 s', () => ({ lateMs: 10_000 })),
  endpoint('limits requests (429)', () => ({ status: 429 })),
  endpoint('fails (503)', () => ({ status: 503 })),
  endpoint('is behind', (url) => keepsNewestBlock(url, true)),
  endpoint('has its newest block from a cache', (url) => keepsNewestBlock(url, false)),
  endpoint('is of another chain', () => ({ answers: { eth_chainId: '0x1', net_version: '1' } })),
];

const signers = (
  name: string,
  faults: Partial<{ kms: KmsFault; web3signer: Web3signerFault }>,
  options: Partial<FaultRow> = {},
): FaultRow =>
  row(
    name,
    (deployment) => {
      deployment.signers.kms.fault = faults.kms;
      deployment.signers.web3signer.fault = faults.web3signer;
    },
    (deployment) => {
      for (const signer of Object.values(deployment.signers)) signer.fault = undefined;
    },
    options,
  );

/** It is found out when its lane has something to sign, and the other one may have taken that. */
const ofOneLane = { mayStayUnnamed: true };

const signerRows: readonly FaultRow[] = [
  signers('KMS, which has the key of one of two lanes, hangs', { kms: 'hangs' }, ofOneLane),
  signers('KMS, which has the key of one of two lanes, limits requests', { kms: 'throttles' }, ofOneLane),
  signers('web3signer, which has the key of one of two lanes, hangs', { web3signer: 'hangs' }, ofOneLane),
  signers('the signing services of all lanes hang', { kms: 'hangs', web3signer: 'hangs' }),
];

function endOfBank(deployment: Deployment): void {
  deployment.bank.comeBack();
  deployment.slowBank(0);
}

const bank = (name: string, begin: (deployment: Deployment) => void, options: Partial<FaultRow> = {}): FaultRow =>
  row(`the folder of the bank ${name}`, begin, endOfBank, {
    ...options,
    // A redemption that is placed meanwhile, and paid in the end.
    work: async (world) => {
      await world.redeem();
      await until('every redemption is paid once', async () => world.isPaidOut() || undefined);
    },
  });

const bankRows: readonly FaultRow[] = [
  bank('is away', (deployment) => deployment.bank.goAway()),
  bank('is read-only', (deployment) => deployment.bank.becomeReadOnly(), { needs: 'mount' }),
  // Files are late, and nothing is wrong.
  bank('takes 3 s for each access', (deployment) => deployment.slowBank(3_000), { mayStayUnnamed: true }),
  bank('is full', (deployment) => deployment.bank.becomeFull(), { needs: 'mount' }),
];

/** Both servers of Redis and the Sentinel; a row freezes some of them. */
async function signalRedis({ redis }: Deployment, parts: readonly ('primary' | 'Sentinel')[]): Promise<() => void> {
  if (redis === undefined) throw new Error('there is no Redis');
  const primary = await until('Redis has a primary', () => redis.primary().catch(() => undefined));
  const frozen = parts.map((part) => (part === 'primary' ? primary : redis.sentinel));
  for (const part of frozen) part.signal('SIGSTOP');
  return () => {
    for (const part of frozen) part.signal('SIGCONT');
  };
}

function sentinelRow(name: string, parts: readonly ('primary' | 'Sentinel')[], options: Partial<FaultRow>): FaultRow {
  let goOn: (() => void) | undefined;
  return row(
    name,
    async (deployment) => {
      goOn = await signalRedis(deployment, parts);
    },
    () => goOn?.(),
    {
      needs: 'redis',
      // Both are asked, so this waits until what is frozen goes on.
      work: async (world) => {
        await until('no client is left on the replica', async () => deploymentOf(world).redis?.isFollowed());
      },
      ...options,
    },
  );
}

const sentinelRows: readonly FaultRow[] = [
  // The Sentinel chooses another one.
  sentinelRow('the primary of a Sentinel is frozen', ['primary'], { mayStayUnnamed: true }),
  // Nobody needs it while the primary answers.
  sentinelRow('the Sentinel is frozen', ['Sentinel'], { mayStayUnnamed: true }),
  sentinelRow('the primary and its Sentinel are frozen', ['primary', 'Sentinel'], {}),
];

/** The rows of what a deployment depends on. */
export const deploymentRows: readonly FaultRow[] = [...endpointRows, ...signerRows, ...bankRows, ...sentinelRows];
