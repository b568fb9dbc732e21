import { writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentProblem } from '../../src/api/customers/documents/document-problem.ts';
import { findVirus } from '../../src/platform/antivirus.ts';
import { pdf } from '../support/documents.ts';
import { eicar, marker, noClamd, startTestClamd, type TestClamd } from '../support/processes/clamd.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

function fileOf(content: string | Buffer): string {
  const file = path.join(folder, 'upload');
  writeFileSync(file, content);
  return file;
}

const opening = (content: Buffer) => ({ file: fileOf(content), uploader: 'user', signal: new AbortController().signal });

describe.skipIf(noClamd)('clamd', () => {
  let clamd: TestClamd;
  beforeAll(async () => {
    clamd = await startTestClamd();
  });
  afterAll(() => clamd?.stop());

  it('finds malware, by its port and by its socket', async () => {
    for (const address of [clamd.address, clamd.socket]) {
      expect(await findVirus(fileOf('an invoice'), address)).toBeUndefined();
      expect(await findVirus(fileOf(''), address)).toBeUndefined();
      expect(await findVirus(fileOf(eicar), address)).toMatch(/^Eicar/i);
      expect(await findVirus(fileOf(Buffer.concat([Buffer.alloc(5_000_000), Buffer.from(marker)])), address)).toMatch(/^Mintrail\.Test/);
    }
  });

  it('keeps an upload with malware out, and says what it found', async () => {
    const problem = await documentProblem(opening(Buffer.concat([pdf, Buffer.from(`% ${marker}`)])), 'application/pdf', {
      clamdAddress: clamd.socket,
    });
    expect(problem).toMatch(/^must be free of malware: the scanner found Mintrail\.Test/);
    expect(await documentProblem(opening(pdf), 'application/pdf', { clamdAddress: clamd.socket })).toBeUndefined();
  });

  it('is unavailable for a file larger than it scans', async () => {
    await expect(findVirus(fileOf(Buffer.alloc(9_000_000)), clamd.address)).rejects.toMatchObject({ code: 'antivirus_unavailable' });
  });
});

/** Scans a file by a server that answers like this; `undefined` hangs up. */
async function answering(reply: string | undefined): Promise<string | undefined> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (reply === undefined) socket.destroy();
    else socket.resume().end(reply);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return findVirus(fileOf('an invoice'), `127.0.0.1:${port}`).finally(() => server.close());
}

describe('a scanner', () => {
  it.each(['', 'stream: OK of course\0', 'INSTREAM size limit exceeded. ERROR\0', 'stream: x FOUND, maybe\0'])(
    'that answers %j is unavailable',
    async (reply) => {
      await expect(answering(reply)).rejects.toMatchObject({ code: 'antivirus_unavailable' });
    },
  );

  it('that hangs is unavailable after its time, and asked no longer than the upload lasts', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    // It reads nothing and says nothing.
    const server = createServer({ pauseOnConnect: true }, (socket) => void sockets.push(socket));
    const sockets: Socket[] = [];
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const address = `127.0.0.1:${(server.address() as { port: number }).port}`;
    await expect(findVirus(fileOf('an invoice'), address, { timeoutMs: 50 })).rejects.toMatchObject({ code: 'antivirus_unavailable' });

    const upload = new AbortController();
    server.once('connection', (socket) => {
      socket
        .on('error', () => {})
        .once('close', resolve)
        .resume();
      upload.abort(new Error('the sender has hung up'));
    });
    const request = { file: fileOf(pdf), uploader: 'user', signal: upload.signal };
    await expect(documentProblem(request, 'application/pdf', { clamdAddress: address })).rejects.toThrow('the sender has hung up');
    await closed;
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('that hangs up, or is not there, is unavailable', async () => {
    await expect(answering(undefined)).rejects.toMatchObject({ code: 'antivirus_unavailable' });
    await expect(findVirus(fileOf('x'), path.join(folder, 'no.sock'))).rejects.toMatchObject({ code: 'antivirus_unavailable' });
  });
});
