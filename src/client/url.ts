type Value = string | number | boolean;

/** Values by name; of a query also several, or none. */
export type Parameters = Record<string, Value | Value[] | undefined>;

/** Puts the parameters into a path of the OpenAPI document, each as one segment. Throws a TypeError when one is missing. */
export function urlOf(baseUrl: string, template: string, path: Parameters = {}, query: Parameters = {}): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === '') throw new TypeError(`${template} needs a value for ${name}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const one of [value].flat()) if (one !== undefined) search.append(name, String(one));
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search.size > 0 ? `?${search.toString()}` : ''}`;
}
