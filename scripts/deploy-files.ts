// Writes the alert rules of deploy/prometheus/ and the boards of deploy/grafana/; with --check it only says whether one is stale.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderRules } from './alerts/rules.ts';
import { boards } from './boards/boards.ts';
import { renderBoard } from './boards/render.ts';

const deploy = fileURLToPath(new URL('../deploy/', import.meta.url));

const files = new Map([
  ['prometheus/rules.yml', renderRules()],
  ...boards.map((board) => [`grafana/dashboards/${board.name}.json`, renderBoard(board)] as const),
]);

for (const [name, text] of files) {
  const file = path.join(deploy, name);
  if (process.argv.includes('--check')) {
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    console.error(`deploy/${name} is stale: run \`npm run docs\``);
    process.exitCode = 1;
  } else {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
