/** The lines of a text of a form that are not empty. */
export function linesOf(form: FormData, name: string): string[] {
  const text = form.get(name);
  if (typeof text !== 'string') return [];
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
