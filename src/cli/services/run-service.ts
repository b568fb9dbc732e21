import closeWithGrace from 'close-with-grace';
import { StopError } from '../../platform/errors.ts';
import { createLog, type Log } from '../../platform/log.ts';
import type { Running } from '../../platform/loop.ts';
import { readableSecrets, readableText } from '../../platform/secret-files.ts';
import { directUrl } from '../../platform/postgres/connections.ts';
import { requireServerVersion } from '../../platform/postgres/server-version.ts';
import { startTracing } from '../../platform/tracing/start-tracing.ts';
import type { Settings } from '../../platform/settings.ts';

/** Longer than recording a batch takes, shorter than Docker and the sandbox wait before they kill. */
const graceMs = 8_000;

/**
 * Runs a service until it is told to stop: by a signal, or in the sandbox when the channel to its parent closes, which also happens when the
 * parent is killed.
 */
export async function runService(settings: Settings, name: string, start: (log: Log) => Promise<Running>): Promise<void> {
  const log = createLog(settings.logLevel, { process: name });
  for (const secret of readableSecrets(settings)) log.warn({ variable: secret.variable }, readableText(secret));
  await requireServerVersion(directUrl(settings)).catch((error: unknown) => {
    // A process may start in an outage of the database.
    if (error instanceof StopError) throw error;
  });
  const tracing = await startTracing(settings, name);
  let running: Running | undefined;
  const grace = closeWithGrace({ delay: graceMs, logger: false, skip: ['beforeExit'] }, async ({ err, signal, manual }) => {
    if (err) log.fatal({ err }, 'unexpected error; closing');
    else log.info({ reason: signal ?? (manual ? 'parent ended' : 'end') }, 'closing');
    await running?.close();
    await tracing?.close();
  });
  if (process.channel) process.once('disconnect', () => grace.close());
  try {
    running = await start(log);
    log.info('running');
  } catch (error) {
    grace.uninstall();
    throw error;
  }
}
