/** Asks again and again until there is an answer; says what it waited for when there is none in time. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>, seconds = 90): Promise<T> {
  const deadline = Date.now() + seconds * 1_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
