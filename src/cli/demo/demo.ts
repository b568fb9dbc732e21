import { createClient } from '../../client/index.ts';
import type { Actors } from './actors.ts';
import { tellIssueStory } from './issue-story.ts';
import { createNarrator } from './narrator.ts';
import { tellOnboardingStory } from './onboarding-story.ts';
import { tellRedeemStory } from './redeem-story.ts';
import { findSandbox, startSandboxProcess } from './sandbox-process.ts';
import { tellSwapStory } from './swap-story.ts';
import { tellWebhookStory } from './webhook-story.ts';

/** Tells every story on the sandbox of a data folder, which is started, and stopped again, when it does not run. */
export async function demo({ dataDir, port }: { dataDir: string; port: number }): Promise<void> {
  const running = await findSandbox(dataDir);
  const started = running ? undefined : await start(dataDir, port);
  const file = running ?? started?.file;
  if (!file) return;
  try {
    const client = createClient({ baseUrl: file.apiUrl, ...file.applications.private });
    const actors: Actors = { client, file, narrator: createNarrator() };
    const iban = await tellIssueStory(actors);
    await tellRedeemStory(actors, iban);
    const partnersIban = await tellOnboardingStory(actors);
    await tellSwapStory(actors, iban);
    await tellWebhookStory(actors, partnersIban);
    console.log(
      `\nThat is all. ${running ? `The sandbox goes on: ${file.apiUrl}/docs` : '`npm start` runs the sandbox on with the same data.'}`,
    );
  } finally {
    await started?.stop();
  }
}

async function start(dataDir: string, port: number) {
  console.log('No sandbox is running here: starting one.');
  return startSandboxProcess({ dataDir, port, output: 'ignore' });
}
