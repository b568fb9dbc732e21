// Writes bench/history.md, the charts of the runs in bench/history.csv; with --check it only says whether the page is stale.
import { readFileSync } from 'node:fs';
import { historyPage, writeHistoryPage } from '../bench/history-page.ts';
import { readHistory } from '../bench/run-history.ts';

if (!process.argv.includes('--check')) writeHistoryPage();
else if (readFileSync(new URL('../bench/history.md', import.meta.url), 'utf8') !== historyPage(readHistory())) {
  console.error('bench/history.md is stale: run `npm run docs`');
  process.exitCode = 1;
}
