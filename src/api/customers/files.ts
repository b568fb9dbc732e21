import { createRoute, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { createHash, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { requireRoomForFile, type StoredFile } from '../../ledger/customers/files.ts';
import type { ApiDependencies, ApiEnv, AddRoutes } from '../api.ts';
import { answerOnce } from '../middlewares/idempotency.ts';
import { receiveFile } from './receive-file.ts';
import { storeFile } from './store-file.ts';
import { bearerAccess, json, errorResponses } from '../http/responses.ts';
import * as output from '../../wire/output-fields.ts';

const fileSchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the file.' }),
    fileId: output.uuid.openapi({ description: 'The same as `id`.' }),
    name: z.string().openapi({ description: 'The name with which it was uploaded.' }),
    type: z.string().openapi({ description: 'Media type, recognised by the content.' }),
    size: z.int().openapi({ description: 'Size in bytes.' }),
    hash: z.string().openapi({ description: 'SHA-256 of the content, in hexadecimal.' }),
    meta: z
      .object({
        uploadedBy: output.uuid.openapi({ description: 'Id of the user who uploaded it; for a server, of its owner.' }),
        createdAt: output.time.openapi({ description: 'When it was uploaded (UTC).' }),
        updatedAt: output.time.openapi({ description: 'The same time: files do not change.' }),
      })
      .openapi({ description: 'Who uploaded it, and when.' }),
  })
  .openapi('File', { description: 'An uploaded file.' });

const uploadSchema = z
  .object({
    file: z
      .string()
      .openapi({ format: 'binary', description: 'A PDF, JPEG or PNG of at most 5 MB, with a name of at most 100 characters.' }),
  })
  .openapi({ description: 'A form with one part, `file`.' });

const route = createRoute({
  method: 'post',
  path: '/files',
  ...bearerAccess('Files'),
  operationId: 'uploadFile',
  summary: 'Upload a document',
  description:
    'Documents support orders (`supportingDocumentId`) and verifications of profiles (`fileId`). The type is recognised by the content, not by the name.',
  request: { body: { required: true, content: { 'multipart/form-data': { schema: uploadSchema } } } },
  responses: { 200: json(fileSchema, 'The file.'), ...errorResponses(401, 403, 406, 415, 'quota_exceeded', 'antivirus_unavailable') },
});

/** `POST /files` (docs/api.md, Files). */
export const addFiles: AddRoutes = (api, deps, guards) => {
  // Not through `openapi()`, which would hold the whole body in memory before the handler.
  api.openAPIRegistry.registerPath(route);
  api.on('POST', [route.path], ...guards.caller);
  api.post(route.path, (context) => receiveAndAnswer(deps, context));
};

/** Receives an upload and answers it once per idempotency key. An upload that fails leaves no file behind. */
async function receiveAndAnswer(deps: ApiDependencies, context: Context<ApiEnv>): Promise<Response> {
  const { ledger, files } = deps;
  await requireRoomForFile(ledger, context.var.caller);
  const arrival = randomUUID();
  try {
    const received = await receiveFile(context.req.raw, files.arriving(arrival), {
      uploader: context.var.caller,
      settings: deps.settings,
    });
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

function fileBody({ id, name, type, size, hash, uploadedBy, createdAt, updatedAt }: StoredFile): z.infer<typeof fileSchema> {
  const meta = { uploadedBy, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, fileId: id, name, type, size, hash, meta };
}
