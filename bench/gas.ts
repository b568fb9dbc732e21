import Table from 'cli-table3';
import { startAnvil } from '../test/support/chain/anvil.ts';
import { createGasMeter } from '../test/support/chain/gas.ts';
import { connectLocalChain } from '../test/support/chain/local-chain.ts';
import { deploySafeSuite } from '../test/support/chain/safe.ts';

const batches = [1, 10, 50, 100];

/** Prints the gas per item of whole transactions through the proxy, on a local chain with current rules and the limit of EIP-7825. */
export async function benchGas(): Promise<void> {
  const anvil = await startAnvil();
  try {
    const chain = connectLocalChain(anvil.url);
    const meter = await createGasMeter(chain, await deploySafeSuite(chain, anvil.url, '1.4.1'));
    const rows = {
      'issue, fresh holder': meter.issueToFreshHolders,
      'issue, existing holder': meter.issueToExistingHolders,
      'redeem, key': meter.redeemFromKeys,
      'redeem, 2-of-3 Safe': meter.redeemFromSafes,
    };
    const table = new Table({
      head: ['gas per item, in a batch of', ...batches.map(String)],
      style: { head: [], border: [] },
      colAligns: ['left', ...batches.map(() => 'right' as const)],
    });
    for (const [name, measure] of Object.entries(rows)) {
      const cells: string[] = [];
      for (const items of batches) cells.push((await measure(items)).toLocaleString('en'));
      table.push([name, ...cells]);
    }
    console.log(`\n${table.toString()}`);
    console.log(`a transfer between holders: ${(await meter.transfer()).toLocaleString('en')} gas`);
  } finally {
    await anvil.stop();
  }
}
