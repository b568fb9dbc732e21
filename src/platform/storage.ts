import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { DriverContract } from 'flydrive/types';
import type { Settings } from './settings.ts';

/** The content of uploaded files, by id: on this disk, or in S3. What is in it is whole. */
export interface FileStorage {
  /** Where a file lies while it arrives, under a name that is its own; {@link keep} takes it from there. */
  arriving(arrival: string): string;
  /** Stores a file that has arrived under an id: it is there whole, or not at all. */
  keep(arrival: string, file: { id: string; type: string; size: number }): Promise<void>;
  read(id: string): Promise<Readable>;
  remove(id: string): Promise<void>;
}

type StorageSettings = Pick<Settings, 'dataDir' | 'filesS3Bucket' | 'filesS3Region' | 'filesS3Endpoint'>;

/** Opens the storage. */
export async function openFileStorage(settings: StorageSettings): Promise<FileStorage> {
  const folder = path.resolve(settings.dataDir, 'files');
  const arrivals = path.join(folder, 'arriving');
  await mkdir(arrivals, { recursive: true, mode: 0o700 });
  await clearOld(arrivals);
  const arriving = (arrival: string) => path.join(arrivals, arrival);
  const { filesS3Bucket: bucket } = settings;
  const disk = new Disk(
    bucket === undefined ? new FSDriver({ location: folder, visibility: 'private' }) : await createS3Driver(bucket, settings),
  );
  return {
    arriving,
    async keep(arrival, { id, type, size }) {
      // A rename is all or nothing; the disk's own move copies.
      if (bucket === undefined) return rename(arriving(arrival), path.join(folder, id));
      await disk.copyFromFs(arriving(arrival), id, { contentType: type, contentLength: size });
      await rm(arriving(arrival), { force: true });
    },
    read: (id) => disk.getStream(id),
    remove: (id) => disk.delete(id),
  };
}

/** What a process that was killed left half arrived. Another one may be receiving at this moment, but not for an hour. */
async function clearOld(folder: string): Promise<void> {
  const hourAgo = Date.now() - 3_600_000;
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const found = await stat(file).catch(() => undefined);
    if (found && found.mtimeMs < hourAgo) await rm(file, { force: true });
  }
}

/** Credentials come as the SDK finds them: `AWS_ACCESS_KEY_ID` and its like, or the machine's role. */
async function createS3Driver(bucket: string, { filesS3Region, filesS3Endpoint }: StorageSettings): Promise<DriverContract> {
  // Loaded only where it is used: the SDK is large.
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new S3Driver({
    bucket,
    region: filesS3Region,
    visibility: 'private',
    supportsACL: false,
    // The checksums that the SDK adds by itself are unknown to S3's clones.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    ...(filesS3Endpoint === undefined ? {} : { endpoint: filesS3Endpoint, forcePathStyle: true }),
  });
}
