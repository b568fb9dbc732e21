import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { startMailServer } from '../support/mail-server.ts';
import { type Forwarder, startForwarder } from '../support/processes/forwarder.ts';
import { type RedisPair, startRedisPair } from '../support/processes/redis-pair.ts';
import { isInstalled } from './installed.ts';

/** What a sandbox depends on besides its database and its chain, each behind a balancer. */
export interface Dependencies {
  redis: RedisPair | undefined;
  /** A mail server, and the texts that it has taken. */
  mail: { forwarder: Forwarder; received: string[] };
  /** An object storage. */
  storage: { forwarder: Forwarder; holds(id: string): boolean };
  /** The seconds by which the clocks of Mintrail's processes are off; the database's clock and the chain's are right. */
  setClock(seconds: number): void;
  /** Environment variables by which a sandbox uses them. */
  variables: Record<string, string>;
  close(): Promise<void>;
}

const bucket = 'documents';

export async function startDependencies(): Promise<Dependencies> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mintrail-dependencies-'));
  const clock = path.join(folder, 'clock');
  const setClock = (seconds: number) => writeFileSync(clock, String(seconds));
  setClock(0);
  const [redis, mail, storage] = await Promise.all([
    isInstalled('redis') ? startRedisPair() : undefined,
    startMail(),
    startStorage(path.join(folder, 's3')),
  ]);
  return {
    redis,
    mail,
    storage,
    setClock,
    variables: {
      SMTP_URL: `smtp://127.0.0.1:${mail.forwarder.port}`,
      MAIL_FROM: 'no-reply@money.example',
      FILES_S3_BUCKET: bucket,
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${storage.forwarder.port}`,
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      ...(redis === undefined ? {} : { REDIS_URL: redis.url }),
      CLOCK_FILE: clock,
      NODE_OPTIONS: `--import=${new URL('clock.mjs', import.meta.url).href}`,
    },
    async close() {
      await Promise.all([redis?.close(), mail.close(), storage.close()]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startMail() {
  const server = await startMailServer();
  const forwarder = await startForwarder(server.port);
  return {
    forwarder,
    received: server.received,
    async close() {
      await forwarder.close();
      await server.close();
    },
  };
}

async function startStorage(directory: string) {
  const server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: bucket }] });
  const { port } = await server.run();
  const forwarder = await startForwarder(port);
  return {
    forwarder,
    holds: (id: string) => existsSync(path.join(directory, bucket, `${id}._S3rver_object`)),
    async close() {
      await forwarder.close();
      await server.close();
    },
  };
}
