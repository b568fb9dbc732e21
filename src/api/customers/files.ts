import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Caller } from '../../ledger/access/permissions.ts';
import { recordFile, requireRoomForFile, type StoredFile } from '../../ledger/customers/files.ts';
import type { ApiDependencies, ApiEnv, AddRoutes } from '../api.ts';
import { answerOnce } from '../middlewares/idempotency.ts';
import { type ReceivedFile, receiveFile } from './receive-file.ts';
import { bearerAccess, json, errorResponses } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const fileSchema = z
  .object({
    id: output.uuid,
    fileId: output.uuid.openapi({ description: 'the same as id' }),
    name: z.string(),
    type: z.string().openapi({ description: 'media type, detected by the content' }),
    size: z.int().openapi({ description: 'bytes' }),
    hash: z.string().openapi({ description: 'SHA-256 in hexadecimal' }),
    meta: z.object({ uploadedBy: output.uuid, createdAt: output.time, updatedAt: output.time }),
  })
  .openapi('File');

const uploadSchema = z.object({
  file: z.string().openapi({ format: 'binary', description: 'a PDF, JPEG or PNG of at most 5 MB, with a name of at most 100 characters' }),
});

const route = createRoute({
  method: 'post',
  path: '/files',
  ...bearerAccess('Files'),
  summary: 'Upload a document',
  request: { body: { required: true, content: { 'multipart/form-data': { schema: uploadSchema } } } },
  responses: { 200: json(fileSchema, 'The file'), ...errorResponses(400, 401, 403, 406) },
});

/** `POST /files` (docs/api.md, Files). */
export const addFiles: AddRoutes = (api, deps, guards) => {
  // Not through `openapi()`, which would hold the whole body in memory before the handler.
  api.openAPIRegistry.registerPath(route);
  api.use(route.path, ...guards.caller);
  api.post(route.path, (context) => receiveAndAnswer(deps, context));
};

/** Receives an upload and answers it once per idempotency key. An upload that fails leaves no file behind. */
async function receiveAndAnswer(deps: ApiDependencies, context: Context<ApiEnv>): Promise<Response> {
  const { ledger, files } = deps;
  await requireRoomForFile(ledger, context.var.caller);
  const arrival = randomUUID();
  try {
    const received = await receiveFile(context.req.raw, files.arriving(arrival));
    // The same file under another name is another request.
    const fingerprint = createHash('sha256')
      .update(JSON.stringify([received.name, received.size, received.hash]))
      .digest();
    return await answerOnce(deps, context, fingerprint, async () => {
      const { caller, claim } = context.var;
      return context.json(fileBody(await storeFile(deps, caller, arrival, received, claim?.makes)), 200);
    });
  } finally {
    await rm(files.arriving(arrival), { force: true });
  }
}

/** Stores the content before its record, so that every recorded file exists. Under a claimed id another run may have stored it too. */
async function storeFile(
  { ledger, files }: ApiDependencies,
  caller: Caller,
  arrival: string,
  received: ReceivedFile,
  claimedId: string | undefined,
): Promise<StoredFile> {
  const id = claimedId ?? randomUUID();
  await files.keep(arrival, { id, ...received });
  try {
    return await recordFile(ledger, caller, { id, ...received });
  } catch (error) {
    if (claimedId === undefined) await files.remove(id);
    throw error;
  }
}

function fileBody({ id, name, type, size, hash, uploadedBy, createdAt, updatedAt }: StoredFile): z.infer<typeof fileSchema> {
  const meta = { uploadedBy, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, fileId: id, name, type, size, hash, meta };
}
