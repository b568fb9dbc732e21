import type { Pool } from 'pg';
import type { Head } from '../../chain/head.ts';
import type { Rpc } from '../../chain/rpc.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/** What a lane works with. */
export interface LaneDeps {
  ledger: Ledger;
  pool: Pool;
  rpc: Rpc;
  signer: Signer;
  network: NetworkSettings;
  head: Head;
  log: Log;
  /** Longest sleep of a lane; by default a second, or the time of a block when that is shorter. */
  sweepIntervalMs?: number | undefined;
}
