import { createClient } from '../../client/index.ts';
import { StopError } from '../../src/platform/errors.ts';
import { chooseDemoChains } from './demo-chains.ts';
import type { DemoContext } from './shared-steps.ts';
import { demonstrateClosing, demonstrateTrace } from './closing.ts';
import { demonstrateIssue } from './issue.ts';
import { createPrinter } from './printer.ts';
import { demonstrateOnboarding } from './onboarding.ts';
import { demonstrateOwner } from './owner.ts';
import { demonstrateRedemption } from './redemption.ts';
import { startSandboxProcess } from '../sandbox-process.ts';
import { findSandbox } from '../../src/cli/running-sandbox.ts';
import { demonstrateRepeatedCredit } from './repeated-credit.ts';
import { demonstrateSwap } from './swap.ts';
import { demonstrateWebhooks } from './webhooks.ts';
import { useSandbox } from '../../src/cli/cli-settings.ts';
import { print } from '../../src/cli/print.ts';

/** Where the sandbox of the demo is, and the Safe of a forked network that pays; without one the demo deploys a Safe. */
export interface DemoOptions {
  dataDir: string;
  port: number;
  safe?: `0x${string}` | undefined;
}

/** Runs all parts of the demo on the sandbox of a data folder. A sandbox that does not run is started, and stopped afterwards. Throws `not_found`. */
export async function demo({ dataDir, port, safe }: DemoOptions): Promise<void> {
  const running = await findSandbox(dataDir);
  const started = running ? undefined : await start(dataDir, port);
  const file = running ?? started?.file;
  if (!file) return;
  try {
    const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
    const chains = chooseDemoChains(file);
    if (safe && !file.chains[chains.safe]?.fork)
      throw new StopError({
        code: 'not_possible',
        message: 'Only a fork has Safes already: start the sandbox with --fork, or leave --safe out',
      });
    const context: DemoContext = { client, file, chains, printer: createPrinter() };
    const iban = await demonstrateIssue(context);
    const returned = await demonstrateRedemption(context, iban, safe);
    const partnersIban = await demonstrateOnboarding(context);
    await demonstrateOwner(context);
    await demonstrateSwap(context, iban);
    await demonstrateWebhooks(context, partnersIban);
    useSandbox(dataDir);
    await demonstrateRepeatedCredit(context, iban);
    await demonstrateTrace(context, returned);
    await demonstrateClosing(context);
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
