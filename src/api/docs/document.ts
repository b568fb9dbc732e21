import { baseUrl, type Settings } from '../../platform/settings.ts';
import type { Api } from '../api.ts';
import { addExample, readExamples } from './examples.ts';
import { errorCodesExtension, sharedErrorCodes } from '../http/responses.ts';
import { addEmptyFields, addEmptyParameters, addNulls } from './left-out-fields.ts';
import type { ApiDocument, Operation } from './openapi.ts';

/** The headings of the document, in the order in which a reader needs them. */
const tags = [
  {
    name: 'Authentication',
    description: 'Access tokens: for servers by their secret, for users by authorization with PKCE or by a wallet.',
  },
  { name: 'Profiles', description: 'Customers: persons and companies, with their onboarding data and their state.' },
  { name: 'Addresses', description: 'Addresses on chains, whose owners have proven that they are theirs.' },
  { name: 'Balances', description: 'The tokens that an address holds.' },
  { name: 'IBANs', description: 'Bank accounts of customers. Payments to them become tokens.' },
  { name: 'Orders', description: 'What a customer gets done: money that becomes tokens, and tokens that are paid out.' },
  { name: 'Signatures', description: 'Signatures of contract accounts, such as a Safe, that are waited for.' },
  { name: 'Files', description: 'Documents that support orders and verifications.' },
  { name: 'Webhooks', description: 'Events that the service posts to the URLs of an application.' },
  { name: 'Tokens', description: 'The token contracts.' },
  { name: 'Countries', description: 'Countries with their risk categories.' },
  { name: 'Service', description: 'The service itself: a greeting, and whether it works.' },
  { name: 'Swap', description: 'A preview, in the sandbox only: one currency against another.' },
  { name: 'Sandbox', description: 'What happens outside in production: credits, refused payouts, reviews. In the sandbox only.' },
];

const about = (serviceName: string): string =>
  `
E-money on blockchains: money that arrives at an IBAN becomes tokens at an address, and tokens are paid out to a bank account or on another chain.

- **Bodies** are JSON, except where an operation says otherwise. Unknown fields are ignored, and null in an optional field is as if it were left out, as is a parameter of a query without a value. Of a parameter that is repeated the first value counts, unless it is a list; at \`/auth\` and below it a repetition is an error.
- **Amounts** are decimal strings in units of the currency, with two decimals: \`"10.50"\`. Never parse them as floating-point numbers.
- **Times** are RFC 3339 in UTC. **Ids** are UUIDs in lower case.
- **Version**: requests accept \`application/json\`, or \`application/vnd.${serviceName.toLowerCase()}.api-v2+json\`.
- **Errors** have a stable \`reason\`, by which programs decide; each answer below lists the codes that it may have.
- **Retries**: a POST with an \`Idempotency-Key\` is carried out once. After 429 and 503, wait as \`Retry-After\` says.
- **Limits** of rates are counted per application. Every answer has an \`X-Correlation-Id\`, which the operator finds in the log.
`;

const bearer =
  'An access token from `POST /auth/token`, as `Authorization: Bearer <token>`. It is valid for an hour. Servers (whitelabel and private applications) get one by their client ' +
  'credentials; other applications by the authorization of a user. Operations without this scheme are for anyone.';

const basic =
  'The id and the secret of an application, at the endpoints for tokens (RFC 6749, section 2.3.1). Both may be encoded as in a form. They may stand in the form instead.';

/** The OpenAPI document of the API (docs/api.md, Welcome), with the address at which this deployment is reached. */
export function describeApi(api: Api, settings: Settings): ApiDocument {
  const { serviceName, environment } = settings;
  api.openAPIRegistry.registerComponent('securitySchemes', 'bearer', { type: 'http', scheme: 'bearer', description: bearer });
  api.openAPIRegistry.registerComponent('securitySchemes', 'basic', { type: 'http', scheme: 'basic', description: basic });
  const isSandbox = environment === 'sandbox';
  const document = api.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: `${serviceName} API`,
      version: '2.0.0',
      description: about(serviceName).trim(),
    },
    servers: [{ url: baseUrl(settings), description: isSandbox ? `The sandbox of ${serviceName}: its money is fake.` : `${serviceName}.` }],
    tags: tags.filter(({ name }) => isSandbox || (name !== 'Sandbox' && name !== 'Swap')),
  }) as object as ApiDocument;
  const { schemas } = document.components;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const bodies = (type: string) => operations.flatMap(({ requestBody }) => requestBody?.content[type]?.schema ?? []);
  addNulls(bodies('application/json'), schemas);
  addEmptyFields(bodies('application/x-www-form-urlencoded'), schemas);
  addEmptyParameters(operations.flatMap(({ parameters = [] }) => parameters));
  const examples = readExamples();
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(methods)) {
      listErrors(operation);
      const example = examples[`${method.toUpperCase()} ${path}`];
      if (example !== undefined) addExample(operation, example);
    }
  return document;
}

/** Names the errors that are the operation's own in its description. */
function listErrors(operation: Operation): void {
  const statuses = Map.groupBy(ownErrors(operation), ({ code }) => code);
  const errors = [...statuses].map(([code, answers]) => `\`${code}\` (${answers.map(({ status }) => status).join(', ')})`);
  if (errors.length > 0) operation.description = `${operation.description ?? ''}${errorsHeading}${errors.join(', ')}.`;
}

/** Before the errors in a description. */
export const errorsHeading = '\n\nErrors: ';

/** The codes of errors that are the operation's own. */
export function ownErrors({ responses }: Operation): { status: string; code: string }[] {
  return Object.entries(responses).flatMap(([status, response]) =>
    (response[errorCodesExtension] ?? []).filter((code) => !sharedErrorCodes.has(code)).map((code) => ({ status, code })),
  );
}
