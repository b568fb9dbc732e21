import { buffer } from 'node:stream/consumers';
import { Hono } from 'hono';
import { z } from 'zod';
import { documentContent, recordDocumentsRead } from '../../ledger/customers/document-content.ts';
import { listProfileDocuments } from '../../ledger/customers/profile-documents.ts';
import { StopError } from '../../platform/errors.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { requireRole } from '../sign-in/require-session.ts';

/** Types that a browser shows as an image. Everything else is kept as a file, and never interpreted. */
const images: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);
const endings: Readonly<Record<string, string>> = { 'application/pdf': 'pdf', 'image/jpeg': 'jpg', 'image/png': 'png' };

/**
 * A document of a customer, to a reviewer. Somebody who may lie has uploaded it: it has no rights in the browser, is never read as another type than its
 * content had at the upload, and its name is ours. Whole, so that nothing is shown of a file that is not what was uploaded.
 */
export const documentRoutes = new Hono<ConsoleEnv>().get(
  '/:id/documents/:file',
  requireRole('reviewer', 'administrator'),
  validated('param', z.object({ id: z.uuid(), file: z.uuid() })),
  async (context) => {
    const { ledger, files, operator, correlationId } = context.var;
    const { id, file } = context.req.valid('param');
    const document = (await listProfileDocuments(ledger, id)).find((listed) => listed.file.id === file);
    if (document === undefined) throw new StopError({ code: 'not_found', message: `The profile ${id} has no document ${file}` });
    await recordDocumentsRead(ledger, { kind: 'operator', id: operator.name, correlationId }, id, [document]);
    const content = await buffer(documentContent(files, document.file));
    const { type } = document.file;
    const isImage = images.has(type);
    return context.body(content, 200, {
      'Content-Type': isImage || type === 'application/pdf' ? type : 'application/octet-stream',
      'Content-Disposition': `${isImage ? 'inline' : 'attachment'}; filename="${file}.${endings[type] ?? 'bin'}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
    });
  },
);
