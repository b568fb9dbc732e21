import type { HonoRequest } from 'hono';
import { createHash } from 'node:crypto';

/**
 * What tells the requests under one idempotency key apart: their query and their body. Null in a field of a JSON body is as if it were left out, and the
 * order of its fields says nothing (docs/api.md, Requests and answers).
 */
export async function requestFingerprint(request: HonoRequest): Promise<Buffer> {
  const bytes = new Uint8Array(await request.arrayBuffer());
  const json = parseJson(bytes);
  const fingerprint = createHash('sha256').update(new URL(request.url).search).update('\0');
  return (json === undefined ? fingerprint.update(bytes) : fingerprint.update(canonicalText(json))).digest();
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** A text that is the same for values that mean the same, and for no others. It is for comparison only. */
function canonicalText(json: unknown): string {
  const texts: string[] = [];
  // Not by recursion: a body may be nested more deeply than the stack is.
  const open: ({ value: unknown } | { text: string })[] = [{ value: json }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if ('text' in next) texts.push(next.text);
    else if (Array.isArray(next.value)) {
      texts.push('[');
      open.push({ text: ']' });
      for (const value of next.value.toReversed()) open.push({ value });
    } else if (typeof next.value === 'object' && next.value !== null) {
      texts.push('{');
      open.push({ text: '}' });
      const fields = Object.entries(next.value).filter(([, field]) => field !== null);
      for (const [name, value] of fields.toSorted(byName)) open.push({ value }, { text: `${JSON.stringify(name)}:` });
    } else texts.push(`${JSON.stringify(next.value)},`);
  }
  return texts.join('');
}

function byName([left]: [string, unknown], [right]: [string, unknown]): number {
  return left < right ? -1 : 1;
}
