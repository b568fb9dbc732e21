import { afterAll, describe } from 'vitest';
import { hasChromium } from '../support/chromium/chromium.ts';
import { consoleOfSandbox, isWhole } from './console-actions/console-of-sandbox.ts';
import { createSandboxRun, type SandboxRun } from './sandbox-run.ts';

// The short form is tried on a sandbox that runs anyway: sandbox.scenario.test.ts.
describe.runIf(hasChromium && isWhole)('the console of a whole sandbox', () => {
  let run: SandboxRun | undefined;
  afterAll(async () => {
    await run?.stop();
    run?.remove();
  });

  consoleOfSandbox(async () => {
    run = await createSandboxRun(['--chain', 'chiado', '--chain', 'sepolia'], { FOUR_EYES: 'yes' });
    return { ...run, file: await run.start() };
  });
});
