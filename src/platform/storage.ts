import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { DriverContract } from 'flydrive/types';
import { messageOf, RetryError } from './errors.ts';
import type { Settings } from './settings.ts';

/** Uploaded files, by id, on this disk or in S3. Only complete files are in it. */
export interface FileStorage {
  /** The path for a file while it is being received, under a unique name; {@link keep} takes it from there. */
  arriving(arrival: string): string;
  /** Stores a received file under an id, completely or not at all. Throws `service_unavailable` when S3 does not take it. */
  keep(arrival: string, file: { id: string; type: string; size: number }): Promise<void>;
  read(id: string): Promise<Readable>;
  remove(id: string): Promise<void>;
}

type StorageSettings = Pick<Settings, 'dataDir' | 'filesS3Bucket'>;

/** Opens the storage of the settings: S3 where a bucket is set, else the data folder. */
export async function openFileStorage(settings: StorageSettings): Promise<FileStorage> {
  const folder = path.resolve(settings.dataDir, 'files');
  const arrivals = path.join(folder, 'arriving');
  await mkdir(arrivals, { recursive: true, mode: 0o700 });
  await clearOld(arrivals);
  const arriving = (arrival: string) => path.join(arrivals, arrival);
  const { filesS3Bucket: bucket } = settings;
  const disk = new Disk(bucket === undefined ? new FSDriver({ location: folder, visibility: 'private' }) : await createS3Driver(bucket));
  return {
    arriving,
    async keep(arrival, { id, type, size }) {
      // A rename is atomic; flydrive's own move copies.
      if (bucket === undefined) return rename(arriving(arrival), path.join(folder, id));
      await disk.copyFromFs(arriving(arrival), id, { contentType: type, contentLength: size }).catch((cause: unknown) => {
        throw new RetryError({ code: 'service_unavailable', message: `S3 does not take a file: ${messageOf(cause)}`, cause });
      });
      await rm(arriving(arrival), { force: true });
    },
    read: (id) => disk.getStream(id),
    remove: (id) => disk.delete(id),
  };
}

/** Deletes incomplete files of killed processes. Those of the last hour stay: another process may be receiving them. */
async function clearOld(folder: string): Promise<void> {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const facts = await stat(file).catch(() => undefined);
    if (facts && facts.mtimeMs < hourAgo) await rm(file, { force: true });
  }
}

/** Where the bucket is and who may use it, AWS's own variables say. The SDK finds the credentials itself: `AWS_ACCESS_KEY_ID` and related variables, or the machine's role. */
async function createS3Driver(bucket: string): Promise<DriverContract> {
  // Loaded only where it is used: the SDK is large.
  const { AWS_REGION: region = 'us-east-1', AWS_ENDPOINT_URL_S3: endpoint } = process.env;
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new S3Driver({
    bucket,
    region,
    visibility: 'private',
    supportsACL: false,
    // S3-compatible services do not know the checksums that the SDK adds by default.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
  });
}
