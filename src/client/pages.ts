import type { Parameters } from './url.ts';

/** Page size when the caller names none. */
const defaultLimit = 100;

/** What names an item in its list: the first of these that it has. */
interface Item {
  id?: string;
  iban?: string;
  address?: string;
}

/** Reads a list that is answered `limit` items at a time, each page `after` the last item of the one before. */
export async function* readPages(read: (query: Parameters) => Promise<unknown>, query: Parameters = {}): AsyncGenerator<unknown, void> {
  const limit = Number(query.limit ?? defaultLimit);
  let { after } = query;
  for (;;) {
    const items = itemsOf(await read({ limit, after }));
    yield* items;
    const last = items.at(-1);
    if (last === undefined || items.length < limit) return;
    after = last.id ?? last.iban ?? last.address;
  }
}

/** A list's answer has one array, named after what is in it, beside `total`. */
function itemsOf(body: unknown): Item[] {
  return Object.values(body as object).find((value) => Array.isArray(value)) as Item[];
}
