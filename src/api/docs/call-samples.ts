import { shellWord } from '../../platform/shell-word.ts';
import type { Operation } from './openapi.ts';

/** A call of an operation as code: by `mintrail-client` where it has the operation, and by curl. */
export interface CallSamples {
  client?: string;
  curl: string;
}

/** An operation with its method and its path. */
export interface Route {
  method: string;
  path: string;
  operation: Operation;
}

/** How an operation is called, with the values of its example. */
export function callSamples(route: Route, baseUrl: string): CallSamples {
  const client = clientCall(route);
  return { ...(client !== undefined && { client }), curl: curlCall(route, baseUrl) };
}

type Value = string | number | string[];

/** The example's values of the parameters in a path, a query or a header. */
export function exampleValues({ operation }: Route, where: string): Record<string, Value> {
  const examples = (operation.parameters ?? []).filter((parameter) => parameter.in === where && parameter.example !== undefined);
  return Object.fromEntries(examples.map(({ name, example }) => [name, example as Value]));
}

function clientCall(route: Route): string | undefined {
  const { method, path, operation } = route;
  const { operationId, requestBody, parameters = [], responses } = operation;
  if (operationId === 'uploadFile') return 'const file = await mintrail.upload(new File([bytes], name));';
  if (operationId === 'followOrders') return 'for await (const event of mintrail.orderEvents()) console.log(event);';
  if (operationId === 'createToken')
    return `// The client gets tokens, and new ones, by itself.\nconst mintrail = createClient({ baseUrl, clientId, clientSecret });`;
  const body = requestBody?.content['application/json'];
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400);
  const isJson =
    (requestBody === undefined || body !== undefined) &&
    answers.some(([, { content }]) => content?.['application/json'] || content === undefined);
  if (!isJson || answers.some(([status]) => status === '302')) return undefined;
  const [inPath, query] = ['path', 'query'].map((where) => exampleValues(route, where));
  const hasKey = parameters.some(({ name }) => name === 'Idempotency-Key');
  const options = [
    ...Object.entries({ path: inPath, query }).flatMap(([name, values = {}]) =>
      Object.keys(values).length > 0 ? [`${name}: ${literal(values)}`] : [],
    ),
    ...(body === undefined ? [] : [`body: ${literal(body.example ?? {})}`]),
    ...(hasKey ? ['idempotencyKey: crypto.randomUUID()'] : []),
  ];
  const argument = options.length === 0 ? '' : `, ${options.length > 1 ? block(options) : `{ ${options.join()} }`}`;
  if (parameters.some(({ name }) => name === 'limit'))
    return `for await (const item of mintrail.pages('${path}'${argument})) console.log(item);`;
  const call = method === 'delete' ? `request('delete', ` : `${method}(`;
  return `const answer = await mintrail.${call}'${path}'${argument});`;
}

const block = (lines: readonly string[]): string => `{\n${lines.map((line) => `  ${line.replaceAll('\n', '\n  ')},\n`).join('')}}`;

/** A value as a literal of TypeScript. */
function literal(value: unknown): string {
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  const fields = Object.entries(value).map(([name, field]) => `${/^\w+$/.test(name) ? name : literal(name)}: ${literal(field)}`);
  const line = `{ ${fields.join(', ')} }`;
  return line.length < 70 && !line.includes('\n') ? line : block(fields);
}

function curlCall(route: Route, baseUrl: string): string {
  const { method, path, operation } = route;
  const { security, requestBody, responses } = operation;
  const inPath = exampleValues(route, 'path');
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(inPath[name] ?? name)));
  const query = new URLSearchParams();
  for (const [name, values] of Object.entries(exampleValues(route, 'query')))
    for (const value of [values].flat()) query.append(name, String(value));
  const url = `${baseUrl}${filled}${query.size > 0 ? `?${query.toString()}` : ''}`;
  const [type, { example = {} } = {}] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  // What curl sends by itself.
  const isDefault = method === (type === undefined ? 'get' : 'post');
  const isStream = responses['200']?.content?.['text/event-stream'] !== undefined;
  return [
    `curl ${isStream ? '-N ' : ''}${isDefault ? '' : `-X ${method.toUpperCase()} `}${shellWord(url)}`,
    ...(security.some((scheme) => 'bearer' in scheme) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(type === 'application/json' ? [`-H 'Content-Type: application/json'`, `-d ${shellWord(JSON.stringify(example, null, 2))}`] : []),
    ...(type === 'application/x-www-form-urlencoded'
      ? Object.entries(example as object).map(([name, value]) => `--data-urlencode ${shellWord(`${name}=${String(value)}`)}`)
      : []),
    ...(type === 'multipart/form-data' ? ['-F file=@passport.pdf'] : []),
  ].join(' \\\n  ');
}
