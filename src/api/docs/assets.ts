import type { Context } from 'hono';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { ApiEnv } from '../api.ts';

const compress = promisify(gzip);

/** A file that pages load. It is read and compressed once, when it is first asked for. */
export interface Asset {
  type: string;
  load: () => Promise<{ plain: Buffer<ArrayBuffer>; compressed: Buffer<ArrayBuffer> }>;
}

/** A file of `src/api/docs/assets`. */
export function ownAsset(name: string, type: string): Asset {
  return asset(type, () => readFile(new URL(`assets/${name}`, import.meta.url)));
}

/** A text that is made when it is first asked for. */
export function textAsset(make: () => string | Promise<string>, type: string): Asset {
  return asset(type, async () => Buffer.from(await make()));
}

function asset(type: string, read: () => Promise<Buffer>): Asset {
  let content: ReturnType<Asset['load']> | undefined;
  const load: Asset['load'] = async () => {
    const plain = Buffer.from(await read());
    return { plain, compressed: Buffer.from(await compress(plain)) };
  };
  return { type, load: () => (content ??= load()) };
}

/** Answers with a file, compressed where the client takes that. */
export async function serveAsset(context: Context<ApiEnv>, { type, load }: Asset, headers: Record<string, string>): Promise<Response> {
  const { plain, compressed } = await load();
  const all = { ...headers, 'Content-Type': type, Vary: 'Accept-Encoding' };
  const takesGzip = /\bgzip\b/.test(context.req.header('Accept-Encoding') ?? '');
  return takesGzip ? context.body(compressed, 200, { ...all, 'Content-Encoding': 'gzip' }) : context.body(plain, 200, all);
}
