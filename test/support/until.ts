/**
 * Calls `ask` every 50 milliseconds until it returns something, and returns that. Throws after `seconds`, and says then what it
 * waited for.
 */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, seconds = 90): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
