import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { StopError } from '../platform/errors.ts';
import { loadSomeSettings } from '../platform/settings.ts';

/** Content of `<data dir>/sandbox.json`, which describes a running sandbox for its clients. */
export interface SandboxFile {
  apiUrl: string;
  profile: string;
  applications: Record<'private' | 'whitelabel', { clientId: string; clientSecret: string }>;
  chains: Record<string, SandboxFileChain>;
  /** Absent where no chain has swaps. */
  swap?: { chain: 'arbitrumsepolia'; settlement: `0x${string}`; maker: `0x${string}` };
  accounts: { address: `0x${string}`; privateKey: `0x${string}` }[];
}

/** A chain in `sandbox.json`. */
export interface SandboxFileChain {
  chainId: number;
  rpcUrl: string;
  tokens: Record<string, `0x${string}`>;
  /** Of a fork: the last block of the live network, and the tokens that the live network has. */
  fork?: { block: number; inherited: Record<string, `0x${string}`> };
}

/** The sandbox that runs on a data folder; undefined when none answers. */
export async function findSandbox(dataDir: string): Promise<SandboxFile | undefined> {
  const file = readSandboxFile(dataDir);
  const answer = file && (await fetch(`${file.apiUrl}/health/live`).catch(() => undefined));
  return answer?.ok ? file : undefined;
}

/** The sandbox that runs on the data folder of the settings. Throws `not_possible`. */
export async function requireSandbox(): Promise<SandboxFile> {
  const { dataDir } = loadSomeSettings(['dataDir']);
  const file = await findSandbox(path.resolve(dataDir));
  if (file) return file;
  throw new StopError({ code: 'not_possible', message: `No sandbox runs on ${dataDir}: start one with \`npm start\`` });
}

function readSandboxFile(dataDir: string): SandboxFile | undefined {
  const file = path.join(dataDir, 'sandbox.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as SandboxFile) : undefined;
}
