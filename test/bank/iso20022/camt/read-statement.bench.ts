/** Prints how fast large statements are read and how much memory that takes: `node test/bank/iso20022/read-statement.bench.ts`. */
import { readStatement } from '../../../../src/bank/iso20022/camt/read-statement.ts';
import { largeStatement } from './large-statement.ts';

for (const entries of [10_000, 100_000]) {
  const started = performance.now();
  let items = 0;
  for await (const _item of readStatement(largeStatement(entries))) items += 1;
  const seconds = (performance.now() - started) / 1000;
  const megabytes = Math.round(process.memoryUsage.rss() / 1e6);
  console.log(`${items} entries in ${seconds.toFixed(1)} s, ${Math.round(items / seconds)} per second, ${megabytes} MB resident`);
}
