import type { Context } from 'hono';
import type { ConsoleEnv } from '../console-env.ts';

/** A file that the browser keeps and never shows as a page. */
export interface Download {
  name: string;
  type: string;
  content: string | Uint8Array<ArrayBuffer>;
}

/** Answers with a file to be kept. Its name is only of characters that no header and no file system reads in its own way. */
export function answerDownload(context: Context<ConsoleEnv>, { name, type, content }: Download): Response {
  const safeName = name.replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return context.body(content, 200, {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="${safeName}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
  });
}
