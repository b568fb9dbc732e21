// Writes docs/metrics.md from the catalogue of metrics; with --check it only says whether the page is stale.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { everyProcess, type MetricDefinition } from '../src/platform/metrics/definition.ts';
import { moneyMetrics } from '../src/platform/metrics/money-metrics.ts';
import { networkMetrics } from '../src/platform/metrics/network-metrics.ts';
import { orderMetrics } from '../src/platform/metrics/order-metrics.ts';
import { processMetrics } from '../src/platform/metrics/process-metrics.ts';
import { webhookMetrics } from '../src/platform/metrics/webhook-metrics.ts';

const page = `# Metrics

What \`GET /metrics\` shows on the \`METRICS_PORT\` of each process, beside what \`prom-client\` measures of Node (\`process_…\`, \`nodejs_…\`).
In parentheses stand type and labels, and who serves it; no label is an id or a customer.
Of several copies of the common worker add up the counters, and take the highest of a gauge.
A name ends with its unit; amounts are in whole units of their currency.
[Alerts](operations/alerts.md) has the configuration of Prometheus, and boards.

Generated from \`src/platform/metrics/\` by \`npm run docs\`.

${section('Orders', orderMetrics)}
${section('Networks', networkMetrics)}
${section('Reserve and bank', moneyMetrics)}
${section('Webhooks', webhookMetrics)}
${section('Processes', processMetrics)}`;

const file = new URL('../docs/metrics.md', import.meta.url);

if (!process.argv.includes('--check')) writeFileSync(file, page);
else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
  console.error('docs/metrics.md is stale: run `npm run docs`');
  process.exitCode = 1;
}

function section(title: string, metrics: Record<string, MetricDefinition>): string {
  const rows = Object.entries(metrics).map(([name, { type, labels, help, servedBy }]) => {
    const kinds = [type, ...labels.map((label) => `\`${label}\``)].join(', ');
    return `- \`${name}\` (${kinds}; ${processes(servedBy)}): ${help}`;
  });
  return [`## ${title}`, '', ...rows, ''].join('\n');
}

function processes(servedBy: MetricDefinition['servedBy']): string {
  return servedBy.length === everyProcess.length ? 'all' : servedBy.join(', ');
}
