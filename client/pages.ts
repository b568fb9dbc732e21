import type { Parameters } from './url.ts';

/** Page size when the caller names none. */
const defaultLimit = 100;

/** The cursor of an item is the first of these fields that it has. */
interface Item {
  id?: string;
  iban?: string;
  address?: string;
}

/** Yields the items of a list, reading `limit` at a time, each page `after` the last item of the page before. */
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

/** The body of a list has a single array, named after its items, besides `total`. */
function itemsOf(body: unknown): Item[] {
  return Object.values(body as object).find((value) => Array.isArray(value)) as Item[];
}
