/** The result of a query over indexed tables, or undefined while the indexer has not made them yet. */
export async function readIndexed<T>(query: () => Promise<T>): Promise<T | undefined> {
  try {
    return await query();
  } catch (error) {
    const { code } = error as { code?: string };
    // 42P01: no such table, 3F000: no such schema.
    if (code === '42P01' || code === '3F000') return undefined;
    throw error;
  }
}
