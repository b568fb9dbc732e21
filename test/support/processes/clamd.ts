import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../../src/platform/process/free-port.ts';
import { until } from '../until.ts';

/** Debian keeps it where ordinary users have no PATH. */
const program = ['clamd', '/usr/sbin/clamd'].find((name) => spawnSync(name, ['--version']).error === undefined);

/** Why tests that need clamd are left out here; undefined where it is installed. */
export const noClamd: string | undefined =
  program === undefined ? 'The tests of the virus scanner are left out: no clamd (apt-get install clamav-daemon)' : undefined;

/** The test file that every scanner reports (https://www.eicar.org/download-anti-malware-testfile/), in two parts: this file is no threat. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('');

/** What the scanner is taught to find. */
export const marker = 'mintrail-test-malware';

/** A clamd of the caller's own, with signatures of its own. */
export interface TestClamd {
  /** Host and port. */
  address: string;
  /** The path of its socket. */
  socket: string;
  stop(): Promise<void>;
}

/** Starts clamd. It knows {@link eicar} and {@link marker}: the public database cannot be fetched in a test. */
export async function startTestClamd(): Promise<TestClamd> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-clamd-'));
  const port = await freePort();
  const socket = path.join(folder, 'clamd.sock');
  const signatures = { 'Eicar.Test': eicar, 'Mintrail.Test': marker };
  const lines = Object.entries(signatures).map(([name, text]) => `${name}:0:*:${Buffer.from(text).toString('hex')}`);
  writeFileSync(path.join(folder, 'test.ndb'), `${lines.join('\n')}\n`);
  const settings = [
    `DatabaseDirectory ${folder}`,
    `LocalSocket ${socket}`,
    `TCPSocket ${port}`,
    'TCPAddr 127.0.0.1',
    'Foreground yes',
    'MaxThreads 2',
    'StreamMaxLength 8M',
  ];
  writeFileSync(path.join(folder, 'clamd.conf'), `${settings.join('\n')}\n`);
  const child = spawn(program ?? 'clamd', ['--config-file', path.join(folder, 'clamd.conf')], { stdio: 'ignore' });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stopWithTests = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithTests);
  await until('clamd listens', async () => (await freePort(port)) !== port || undefined);
  return {
    address: `127.0.0.1:${port}`,
    socket,
    async stop() {
      process.off('exit', stopWithTests);
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
