import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import sharp from 'sharp';
import { pdf, png } from '../../support/documents.ts';
import { until } from '../../support/until.ts';
import { expectDocumented } from '../support/expect-documented.ts';
import { createTestApi, type Partner } from '../support/test-api.ts';
import { redeemer } from '../orders/redeeming.ts';
import { forWholeFile } from '../../support/for-whole-file.ts';

const api = forWholeFile(createTestApi);
let caller: Partner;
beforeAll(async () => void (caller = await api.partner()));

const jpeg = await sharp(png).jpeg().toBuffer();
const maxBytes = 5 * 1024 * 1024;
const padded = (bytes: number) => Buffer.concat([pdf, Buffer.alloc(bytes - pdf.length, 0x20)]);

interface Uploading {
  field?: string;
  by?: Pick<Partner, 'headers'>;
  more?: Record<string, Buffer>;
}

async function upload(content: Buffer, name = 'invoice.pdf', { field = 'file', by = caller, more = {} }: Uploading = {}) {
  const form = new FormData();
  form.append('note', 'fields beside the file are ignored');
  form.append(field, new Blob([new Uint8Array(content)], { type: 'text/plain' }), name);
  for (const [also, value] of Object.entries(more)) form.append(also, new Blob([new Uint8Array(value)]), 'more.pdf');
  const encoded = new Response(form);
  const headers = { ...by.headers, 'Content-Type': encoded.headers.get('Content-Type') ?? '' };
  const response = await api.app.request('/files', { method: 'POST', headers, body: await encoded.arrayBuffer() });
  // oxlint-disable-next-line typescript/no-explicit-any -- what an answer contains is for each test to say
  const json = (await response.json()) as any;
  expectDocumented(api.app, 'POST', '/files', response.status, json);
  return { status: response.status, json };
}

const send = async (type: string, body: string | Buffer<ArrayBuffer>) =>
  (await api.send('POST', '/files', { headers: { ...caller.headers, 'Content-Type': type }, body })).json.errors;

const stored = () =>
  readdirSync(path.join(api.dataDir, 'files'), { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [entry.name] : [],
  );
const countRows = async () => (await api.ledger.selectFrom('files').select('id').execute()).length;

describe('POST /files', () => {
  it.each([
    ['application/pdf', pdf],
    ['image/png', png],
    ['image/jpeg', jpeg],
  ])('keeps an %s, told by its content', async (type, content) => {
    const { status, json } = await upload(content, 'Rechnung für Mai.txt');
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.any(String),
      fileId: json.id,
      name: 'Rechnung für Mai.txt',
      type,
      size: content.length,
      hash: createHash('sha256').update(content).digest('hex'),
      meta: { uploadedBy: caller.user, createdAt: expect.stringMatching(/Z$/), updatedAt: json.meta.createdAt },
    });
    expect(readFileSync(path.join(api.dataDir, 'files', json.id))).toEqual(content);
    const kept = await api.deps.files.read(json.id);
    expect(Buffer.concat(await kept.toArray())).toEqual(content);
  });

  it('takes 5 MB and a name of 100 characters', async () => {
    expect(await upload(padded(maxBytes), 'ä'.repeat(100))).toMatchObject({ status: 200, json: { size: maxBytes } });
  });

  it.each<[string, () => ReturnType<typeof upload>, string]>([
    ['a byte more than 5 MB', () => upload(padded(maxBytes + 1)), 'must be at most 5 MB'],
    ['far more than 5 MB', () => upload(padded(4 * maxBytes)), 'must be at most 5 MB'],
    [
      'another type under the name of a PDF',
      () => upload(Buffer.from('MZ executable'), 'a.pdf'),
      'must be a PDF, JPEG or PNG, by its content',
    ],
    ['a GIF', () => upload(Buffer.from('GIF89a\u0001\0\u0001\0\0\0\0;')), 'must be a PDF, JPEG or PNG, by its content'],
    // A slow machine makes it costly, and who sends what is costly has to pause.
    [
      'a PDF that does not open',
      async () => upload(Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF\n'), 'a.pdf', { by: await api.partner() }),
      'must be a PDF that opens',
    ],
    ['a cut-off image', () => upload(png.subarray(0, 45)), 'must be an image that opens'],
    ['an empty file', () => upload(Buffer.alloc(0)), 'must not be empty'],
    ['a name of 101 characters', () => upload(pdf, 'a'.repeat(101)), 'must have a name of at most 100 characters'],
    ['another part', () => upload(pdf, 'a.pdf', { field: 'document' }), 'is required: the part of the file must be named file'],
    ['two files', () => upload(pdf, 'a.pdf', { more: { file2: pdf } }), 'must be a single file'],
  ])('refuses %s, and nothing stays', async (_, send, text) => {
    const [before, rows] = [stored(), await countRows()];
    const { status, json } = await send();
    expect(status).toBe(400);
    expect(json.errors).toEqual({ file: text });
    expect(stored()).toEqual(before);
    expect(await countRows()).toBe(rows);
  });

  it('refuses a body that is no multipart form, ends too early or has no file', async () => {
    const form = 'multipart/form-data; boundary=x';
    const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7';
    const needed = 'must be sent with the header Content-Type: multipart/form-data; boundary=...';
    expect(await send('application/json', '{}')).toEqual({ body: needed });
    expect(await send('multipart/form-data', part)).toEqual({ body: needed });
    expect(await send(form, part)).toEqual({ file: 'is incomplete, or not well-formed multipart/form-data' });
    expect(await send(form, 'nonsense')).toEqual({ file: 'is incomplete, or not well-formed multipart/form-data' });
    expect(await send(form, '--x--\r\n')).toEqual({ file: 'is required: a part named file, with a file name' });
    expect(await send(form, '--x\r\nContent-Disposition: form-data; name="file"\r\n\r\ntext\r\n--x--\r\n')).toEqual({
      file: 'is required: a part named file, with a file name',
    });
    const latin1 = (fields: string) => send(form, Buffer.from(`${fields}\r\n\r\nö\r\n--x--\r\n`, 'latin1'));
    const damaged = 'without U+FFFD, which stands for a character that was lost before';
    expect(await latin1('--x\r\nContent-Disposition: form-data; name="note"')).toEqual({ note: `must be UTF-8 ${damaged}` });
    const named = { file: `must have a name in UTF-8 ${damaged}` };
    expect(await latin1('--x\r\nContent-Disposition: form-data; name="file"; filename="ö.pdf"')).toEqual(named);
    expect(await send(form, '--x\r\nContent-Disposition: form-data; name="file"; filename="\uFFFD.pdf"\r\n\r\nx\r\n--x--\r\n')).toEqual(
      named,
    );
    expect(await send(form, '')).toEqual({ file: expect.any(String) });
    expect(stored().every((name) => !readdirSync(path.join(api.dataDir, 'files', 'arriving')).includes(name))).toBe(true);
  });

  it('leaves nothing of an upload whose client hangs up, or of one that is refused half-way', async () => {
    const server = createAdaptorServer({ fetch: api.app.fetch });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const headers = { ...caller.headers, 'Content-Type': 'multipart/form-data; boundary=x', 'Transfer-Encoding': 'chunked' };
    const arrivals = () => readdirSync(path.join(api.dataDir, 'files', 'arriving'));
    const before = stored();
    const begin = () => {
      const request = httpRequest({ port, host: '127.0.0.1', path: '/files', method: 'POST', headers });
      request.on('error', () => undefined);
      request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n');
      request.write(pdf);
      return request;
    };

    const hungUp = begin();
    await until('the file arrives', async () => arrivals()[0]);
    hungUp.destroy();
    await until('nothing is left', async () => (arrivals().length === 0 ? true : undefined));

    const endless = begin();
    const answered = new Promise<number | undefined>((resolve) => endless.on('response', (response) => resolve(response.statusCode)));
    const chunk = Buffer.alloc(256 * 1024);
    const pour = setInterval(() => endless.write(chunk), 1);
    expect(await answered).toBe(400);
    clearInterval(pour);
    endless.destroy();
    await until('nothing is left', async () => (arrivals().length === 0 ? true : undefined));
    expect(stored()).toEqual(before);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a supporting document', () => {
  it('lets an order of 15,000 through, and is kept with it', async () => {
    const partner = await redeemer(api);
    const { json: file } = await upload(pdf, 'invoice.pdf', { by: partner });
    const order = await partner.order({ amount: '15000.00', supportingDocumentId: file.fileId });
    const { status, json } = await partner.post('/orders', order);
    expect(status).toBe(200);
    expect(json.meta.supportingDocumentId).toBe(file.id);
    expect((await partner.post('/orders', await partner.order({ amount: '14999.99' }))).status).toBe(200);
  });
});

it('an upload waits for a virus scanner that does not answer, and keeps nothing', async () => {
  const before = [stored(), await countRows()];
  Object.assign(api.deps.settings, { clamdAddress: path.join(api.dataDir, 'no-scanner.sock') });
  expect(await upload(pdf)).toMatchObject({ status: 503, json: { code: 503, reason: 'antivirus_unavailable' } });
  Object.assign(api.deps.settings, { clamdAddress: undefined });
  expect([stored(), await countRows()]).toEqual(before);
});
