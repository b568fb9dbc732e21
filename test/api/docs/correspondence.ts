import { createHash } from 'node:crypto';

/**
 * The values of the examples and those of a run that stand for each other. What a service makes up, such as ids and times, differs from run to
 * run; everything else is the same. An example value that stands for one value of the run stands for no other.
 */
export function createCorrespondence() {
  const actualOf = new Map<string, string>();
  const exampleOf = new Map<string, string>();

  const bind = (example: string, actual: string): void => {
    actualOf.set(example, actual);
    exampleOf.set(actual, example);
  };

  /** Replaces the example values in a request by those of the run. An id that nobody has answered yet is one that the client chooses. */
  const toActual = <Value>(value: Value): Value =>
    replace(value, (text) => {
      if (uuid.test(text) && !actualOf.has(text)) bind(text, text);
      return replaceKnown(text, actualOf);
    });

  /** What is wrong with an answer, compared with its example: one text for each difference. */
  function* differences(actual: unknown, example: unknown, at = ''): Generator<string> {
    if (typeof actual === 'string' && typeof example === 'string') {
      if (!corresponds(actual, example, at)) yield `${at}: ${actual} instead of ${example}`;
    } else if (Array.isArray(actual) && Array.isArray(example)) yield* listDifferences(actual, example, at);
    else if (isObject(actual) && isObject(example)) {
      for (const name of new Set([...Object.keys(actual), ...Object.keys(example)]))
        yield* differences(actual[name], example[name], `${at}.${name}`);
    } else if (actual !== example && !(volatileNumbers.test(at) && typeof actual === typeof example))
      yield `${at}: ${JSON.stringify(actual)} instead of ${JSON.stringify(example)}`;
  }

  /** An example may show the first items of a long list. */
  function* listDifferences(actual: unknown[], example: unknown[], at: string): Generator<string> {
    if (example.length > actual.length || (example.length < actual.length && example.length < 2)) yield `${at}: ${actual.length} items`;
    for (const [index, item] of example.entries()) yield* differences(actual[index], item, `${at}[${index}]`);
  }

  function corresponds(actual: string, example: string, at: string): boolean {
    const known = actualOf.get(example);
    if (known !== undefined) return known === actual || replaceKnown(example, actualOf) === actual;
    const kind = volatileKinds.find(({ of }) => of.test(example) && of.test(actual));
    const isVolatile = kind !== undefined || volatileTexts.test(at);
    if (isVolatile && !exampleOf.has(actual)) {
      if (kind?.isIdentity ?? true) bind(example, actual);
      return true;
    }
    return replaceKnown(example, actualOf) === actual;
  }

  /** An example of an answer: what the service made up gets another value, the same in every recording. */
  const toExample = (value: unknown, at: string): unknown => {
    if (Array.isArray(value))
      return value.slice(0, value.length > mostItems ? 3 : mostItems).map((item, index) => toExample(item, `${at}[${index}]`));
    if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toExample(field, `${at}.${name}`)]));
    if (typeof value !== 'string') return value;
    const known = exampleOf.get(value);
    if (known !== undefined) return known;
    const made = madeUp(value, at);
    if (made === undefined) return replaceKnown(value, exampleOf);
    bind(made, value);
    return made;
  };

  return { bind, toActual, differences, toExample };
}

const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;
const iban = /^IS\d{24}$/;

/** An example shows no more items than a reader looks at. */
const mostItems = 8;

/** What differs from run to run, by its form. Two things have the same time, but not the same id. */
const volatileKinds = [
  { of: uuid, isIdentity: true },
  { of: iban, isIdentity: true },
  { of: time, isIdentity: false },
  { of: /^0x[0-9a-f]{130}$/, isIdentity: true },
];

/** And by its place: tokens are opaque, and the user of a test has an address of their own. */
const volatileTexts = /\.(?:access_token|refresh_token|email|endToEndId)$/;
const volatileNumbers = /\.(?:expiry|duration|nonce)$/;

function madeUp(value: string, at: string): string | undefined {
  const digest = createHash('sha256').update(at).digest('hex');
  if (uuid.test(value))
    return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  if (time.test(value)) return '2026-11-20T16:03:54.120Z';
  if (/^0x[0-9a-f]{130}$/.test(value)) return `0x${digest}${digest}1b`;
  if (at.endsWith('.endToEndId')) return digest.slice(0, 32);
  if (at.endsWith('.email')) return 'treasury@example.com';
  return volatileTexts.test(at) ? Buffer.from(digest, 'hex').toString('base64url') : undefined;
}

function replaceKnown(text: string, known: ReadonlyMap<string, string>): string {
  const whole = known.get(text);
  if (whole !== undefined) return whole;
  let replaced = text;
  for (const [from, to] of known) if (from.length > 8 && !time.test(from)) replaced = replaced.replaceAll(from, to);
  return replaced;
}

function replace<Value>(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value) as Value;
  if (Array.isArray(value)) return value.map((item) => replace(item, change) as unknown) as Value;
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, replace(field, change)])) as Value;
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
