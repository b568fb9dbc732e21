/** The result of a query over indexed tables, or undefined while the indexer has not made them yet, or replaces them in this moment. */
export async function readIndexed<T>(query: () => Promise<T>): Promise<T | undefined> {
  try {
    return await query();
  } catch (error) {
    const { code } = error as { code?: string };
    // 42P01: no such table, 3F000: no such schema, 40P01: the query and whoever replaces the views waited for each other.
    if (code === '42P01' || code === '3F000' || code === '40P01') return undefined;
    throw error;
  }
}
