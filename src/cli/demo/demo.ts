import { createClient } from '../../client/index.ts';
import type { DemoContext } from './shared-steps.ts';
import { demonstrateIssue } from './issue.ts';
import { createPrinter } from './printer.ts';
import { demonstrateOnboarding } from './onboarding.ts';
import { demonstrateRedemption } from './redemption.ts';
import { findSandbox, startSandboxProcess } from '../sandbox/sandbox-process.ts';
import { demonstrateSwap } from './swap.ts';
import { demonstrateWebhooks } from './webhooks.ts';
import { print } from '../print.ts';

/** Runs all parts of the demo on the sandbox of a data folder. A sandbox that does not run is started, and stopped afterwards. */
export async function demo({ dataDir, port }: { dataDir: string; port: number }): Promise<void> {
  const running = await findSandbox(dataDir);
  const started = running ? undefined : await start(dataDir, port);
  const file = running ?? started?.file;
  if (!file) return;
  try {
    const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
    const context: DemoContext = { client, file, printer: createPrinter() };
    const iban = await demonstrateIssue(context);
    await demonstrateRedemption(context, iban);
    const partnersIban = await demonstrateOnboarding(context);
    await demonstrateSwap(context, iban);
    await demonstrateWebhooks(context, partnersIban);
    print(
      `\nThe demo is complete. ${running ? `The sandbox keeps running: ${file.apiUrl}/docs` : '`npm start` runs the sandbox with the same data.'}`,
    );
  } finally {
    await started?.stop();
  }
}

async function start(dataDir: string, port: number) {
  print('No sandbox is running: starting one.');
  return startSandboxProcess({ dataDir, port, output: 'ignore' });
}
