type Value = string | number | boolean;

/** Values by name. A query parameter may have several, or none. */
export type Parameters = Record<string, Value | Value[] | undefined>;

/** The URL of a path of the OpenAPI document with its parameters. Throws a TypeError when a path parameter is missing. */
export function urlOf(baseUrl: string, template: string, path: Parameters = {}, query: Parameters = {}): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined || value === '') throw new TypeError(`${template} needs a value for ${name}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const item of [value].flat()) if (item !== undefined) search.append(name, String(item));
  return `${baseUrl.replace(/\/+$/, '')}${filled}${search.size > 0 ? `?${search.toString()}` : ''}`;
}
