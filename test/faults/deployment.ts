import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { environmentFile } from '../../src/cli/cli-settings.ts';
import { loadInstance, operatorKeys } from '../../sandbox/instance.ts';
import { type FaultyRpc, startFaultyRpc } from '../support/chain/rpc-faults.ts';
import { type SentinelPair, startSentinelPair } from '../support/processes/sentinel-pair.ts';
import { type FakeKms, startFakeKms } from '../support/signers/fake-kms.ts';
import { type FakeWeb3signer, startFakeWeb3signer } from '../support/signers/fake-web3signer.ts';
import { until } from '../support/until.ts';
import { type BankFolder, createBankFolder } from './bank-folder.ts';
import { isInstalled } from './installed.ts';

/** What a deployment depends on, and a sandbox does not: Redis with a Sentinel, three endpoints, a signing service, a folder of the bank. */
export interface Deployment {
  redis: SentinelPair | undefined;
  /** The first two of three endpoints. All lead to one node. */
  endpoints: readonly [FaultyRpc, FaultyRpc];
  /** Each has the key of one of the network's two lanes. */
  signers: { kms: FakeKms; web3signer: FakeWeb3signer };
  bank: BankFolder;
  /** Milliseconds that each access to that folder takes. */
  slowBank(milliseconds: number): void;
  /** Environment variables by which a sandbox with the network chiado uses them. */
  variables: Record<string, string>;
  /** Leads the endpoints to the sandbox's node, once it has one. */
  leadToNode(): Promise<void>;
  close(): Promise<void>;
}

type Key = ReturnType<typeof operatorKeys>[number];

/** Starts what the sandbox in this folder, which was not started yet, is going to use. */
export async function startDeployment(dataDir: string): Promise<Deployment> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-deployment-'));
  const [first, second] = operatorKeys(loadInstance(dataDir)) as [Key, Key];
  const nowhere = 'http://127.0.0.1:1';
  const [redis, kms, web3signer, ...endpoints] = await Promise.all([
    isInstalled('redis') ? startSentinelPair() : undefined,
    startFakeKms(first.privateKey),
    startFakeWeb3signer([second.privateKey]),
    startFaultyRpc(nowhere),
    startFaultyRpc(nowhere),
  ]);
  const outbox = path.join(folder, 'outbox');
  mkdirSync(outbox);
  const bank = createBankFolder(outbox);
  const slowness = path.join(folder, 'slowness');
  const slowBank = (milliseconds: number) => writeFileSync(slowness, String(milliseconds));
  slowBank(0);
  const preloaded = ['deployed-settings.mjs', 'slow-folder.mjs'].map((file) => `--import=${new URL(file, import.meta.url).href}`);
  const settings = {
    endpoints: endpoints.map(({ url }) => url),
    CHIADO_SIGNERS: `awskms:${kms.keyId},web3signer:${web3signer.url}/${second.address}`,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_REGION: 'eu-west-1',
    BANK_RAIL: 'iso20022',
    BANK_OUTBOX: outbox,
    BANK_ACCOUNT: 'IS140159260076545510730339',
    BANK_ACCOUNT_NAME: 'Mintrail ehf.',
    BANK_BIC: 'MNTRIS22',
    BANK_FILE_SECONDS: '0',
  };
  return {
    redis,
    endpoints,
    signers: { kms, web3signer },
    bank,
    slowBank,
    variables: {
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      DEPLOYED_SETTINGS: JSON.stringify(settings),
      SLOW_FOLDER_FILE: slowness,
      NODE_OPTIONS: preloaded.join(' '),
    },
    async leadToNode() {
      const file = path.join(dataDir, environmentFile);
      const { CHIADO_RPC_URLS: node } = await until('the sandbox has a node', async () =>
        existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { CHIADO_RPC_URLS: string }) : undefined,
      );
      for (const endpoint of endpoints) endpoint.leadTo(node);
    },
    async close() {
      bank.comeBack();
      await Promise.all([redis?.close(), kms.stop(), web3signer.stop(), ...endpoints.map((endpoint) => endpoint.close())]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
