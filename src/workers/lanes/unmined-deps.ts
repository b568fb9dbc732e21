import type { Endpoint } from '../../chain/endpoints/endpoints.ts';
import type { MarketReader } from '../../chain/market-reader.ts';
import type { Rpc } from '../../chain/endpoints/rpc.ts';
import type { Signer } from '../../chain/signers/signer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';
import type { Alarms } from '../alarms.ts';

/** What an unmined transaction needs: the signer is the one that signed it. */
export interface UnminedDeps {
  ledger: Ledger;
  rpc: Rpc;
  /** Each endpoint of the network; without them, `rpc` alone. */
  endpoints?: readonly Endpoint[] | undefined;
  signer: Signer;
  network: NetworkSettings;
  market: MarketReader;
  log: Log;
  alarms: Alarms;
}
