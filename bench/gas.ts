import Table from 'cli-table3';
import { startAnvil } from '../test/support/chain/anvil.ts';
import { createGasMeter, mostGas } from '../test/support/chain/gas.ts';
import { connectLocalChain } from '../test/support/chain/local-chain.ts';
import { deploySafeSuite } from '../test/support/chain/safe.ts';
import { judged } from './report.ts';

const batches = [1, 10, 50, 100];

/** Prints the gas per item of whole transactions through the proxy, on a local chain with current rules and the limit of EIP-7825. */
export async function benchGas(): Promise<void> {
  const anvil = await startAnvil();
  try {
    const chain = connectLocalChain(anvil.url);
    const meter = await createGasMeter(chain, await deploySafeSuite(chain, anvil.url, '1.4.1'));
    const rows: [string, (items: number) => Promise<number>, number][] = [
      ['issue, fresh holder', meter.issueToFreshHolders, mostGas.issueToFreshHolder],
      ['issue, existing holder', meter.issueToExistingHolders, mostGas.issueToExistingHolder],
      ['redeem, key', meter.redeemFromKeys, mostGas.redeemFromKey],
      ['redeem, 2-of-3 Safe', meter.redeemFromSafes, mostGas.redeemFromSafe],
    ];
    const table = new Table({
      head: ['gas per item, in a batch of', ...batches.map(String)],
      style: { head: [], border: [] },
      colAligns: ['left', ...batches.map(() => 'right' as const)],
    });
    for (const [name, measure, most] of rows) {
      const cells: number[] = [];
      for (const items of batches) cells.push(await measure(items));
      table.push([name, ...cells.slice(0, -1).map(formatted), judgedGas(cells.at(-1) as number, most)]);
    }
    table.push(['transfer between holders', judgedGas(await meter.transfer(), mostGas.transfer), '', '', '']);
    console.log(`\n${table.toString()}`);
  } finally {
    await anvil.stop();
  }
}

function judgedGas(gas: number, most: number): string {
  return judged(formatted(gas), gas <= most, `at most ${formatted(most)}`);
}

function formatted(gas: number): string {
  return gas.toLocaleString('en');
}
