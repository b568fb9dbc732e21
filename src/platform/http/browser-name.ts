/** In the order in which they are looked for: Edge and Opera call themselves Chrome as well, and Chrome calls itself Safari. */
const browsers = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['CriOS/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;

/** Android calls itself Linux, and iPhones call themselves Mac OS X. */
const systems = [
  ['Windows', 'Windows'],
  ['Android', 'Android'],
  ['iPhone', 'iOS'],
  ['iPad', 'iOS'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Such as `Firefox on Linux`. Of what the browser sends nothing but known words is taken. */
export function browserName(userAgent: string): string {
  const nameIn = (names: readonly (readonly [string, string])[]) => names.find(([mark]) => userAgent.includes(mark))?.[1];
  const [browser, system] = [nameIn(browsers), nameIn(systems)];
  return `${browser ?? 'an unknown browser'}${system === undefined ? '' : ` on ${system}`}`;
}
