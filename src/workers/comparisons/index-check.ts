import { findDamage } from '../../indexed/damage.ts';
import type { TablesOwner } from '../../indexed/reader-role.ts';
import { rebuiltSchema, tablesSchema } from '../../indexed/schema-names.ts';
import { newestSettledLeg } from '../../ledger/lanes/decided-legs.ts';
import { readNumber, readRebuild, requestRebuild } from '../../ledger/lanes/index-rebuilds.ts';
import type { Log } from '../../platform/log.ts';
import type { NetworkSettings } from '../../platform/settings.ts';

/** What the check of a network's index needs. */
export interface IndexCheckDeps {
  ledger: TablesOwner;
  network: NetworkSettings;
  log: Log;
}

/**
 * Creates the check whether the rows of a network's index add up. What is found twice in a row is damage: the check asks the indexer for a rebuild. The
 * returned function answers whether anything was found, because such rows are not to be compared with anything.
 */
export function createIndexCheck({ ledger, network, log }: IndexCheckDeps): () => Promise<boolean> {
  let wasFound = false;
  const { chain } = network;
  const indexName = tablesSchema(network);
  return async () => {
    const tables = rebuiltSchema(indexName, readNumber(await readRebuild(ledger, chain, indexName)));
    const damage = await findDamage(ledger, network, tables, newestSettledLeg);
    const isCertain = wasFound && damage !== undefined;
    wasFound = damage !== undefined;
    if (isCertain && (await requestRebuild(ledger, { chain, indexName, damage })))
      log.error({ damage: damage.text }, 'the index is damaged: its indexer rebuilds it');
    return wasFound;
  };
}
