import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openFileStorage } from '../../../src/platform/storage.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(path.join(tmpdir(), 'mintrail-storage-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = () => ({
  dataDir: folder,
  filesS3Bucket: undefined,
});

it('keeps, reads and removes a file', async () => {
  const storage = await openFileStorage(settings());
  writeFileSync(storage.arriving('a'), 'content');
  await storage.keep('a', { id: 'a', type: 'text/plain', size: 7 });
  expect(readdirSync(path.join(folder, 'files')).sort()).toEqual(['a', 'arriving']);
  // For nobody but the user that the service runs as.
  expect(statSync(path.join(folder, 'files')).mode & 0o077).toBe(0);
  expect(Buffer.concat(await (await storage.read('a')).toArray()).toString()).toBe('content');
  await storage.remove('a');
  expect(readdirSync(path.join(folder, 'files'))).toEqual(['arriving']);
});

it('clears away what a killed process left half arrived, and nothing that may still be arriving', async () => {
  const arriving = path.join(folder, 'files', 'arriving');
  mkdirSync(arriving, { recursive: true });
  for (const name of ['old', 'new']) writeFileSync(path.join(arriving, name), 'half');
  const longAgo = Date.now() / 1_000 - 3_700;
  utimesSync(path.join(arriving, 'old'), longAgo, longAgo);
  await openFileStorage(settings());
  expect(readdirSync(arriving)).toEqual(['new']);
});

it('keeps, reads and removes a file in S3', async () => {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: path.join(folder, 's3'),
    configureBuckets: [{ name: 'documents' }],
  });
  const { port } = await server.run();
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER').stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${port}`);
  const storage = await openFileStorage({ ...settings(), filesS3Bucket: 'documents' });
  writeFileSync(storage.arriving('a'), 'content');
  await storage.keep('a', { id: 'a', type: 'text/plain', size: 7 });
  expect(readdirSync(path.join(folder, 'files', 'arriving'))).toEqual([]);
  expect(Buffer.concat(await (await storage.read('a')).toArray()).toString()).toBe('content');
  await storage.remove('a');
  await expect(storage.read('a').then((stream) => stream.toArray())).rejects.toThrow();
  const elsewhere = await openFileStorage({ ...settings(), filesS3Bucket: 'nowhere' });
  writeFileSync(elsewhere.arriving('b'), 'content');
  const refused = elsewhere.keep('b', { id: 'b', type: 'text/plain', size: 7 });
  await expect(refused).rejects.toMatchObject({ code: 'service_unavailable', retryable: true });
  vi.unstubAllEnvs();
  await server.close();
});
