import { accountPages } from '../../src/api/hosted/account/pages.ts';
import { consentPages } from '../../src/api/hosted/consent.ts';
import { onboardingPages } from '../../src/api/hosted/onboarding/pages.ts';
import type { Pages } from '../../src/api/hosted/page-request.ts';
import { signInPages } from '../../src/api/hosted/sign-in/pages.ts';
import { matrix, pathOf } from '../api/access/access-matrix.ts';
import { missing, type Resources } from '../api/access/access-matrix-tenants.ts';
import * as filled from '../api/hosted/onboarding.ts';
import type { Random } from '../simulation/random.ts';
import { png } from '../support/documents.ts';
import type { FuzzCaller, FuzzWorld } from './fuzz-world.ts';
import type { HttpMessage, MessageBody } from './http-message.ts';

/** A request of a caller before it is spoilt. */
export interface FuzzRequest {
  /** The operation of the document, or the page. */
  operation: string;
  caller: FuzzCaller;
  message: HttpMessage;
}

interface Page {
  operation: string;
  method: string;
  path: string;
  receives: boolean;
}

const pages: Page[] = [
  ...pagesBelow('/account', { ...signInPages, ...onboardingPages, ...accountPages }),
  ...pagesBelow('/authorize', { ...signInPages, ...onboardingPages, ...consentPages }),
];

/** Every page below a path, as often as it takes requests. A page that is added is fuzzed without a list. */
function pagesBelow(mount: string, all: Pages): Page[] {
  const below: Page[] = [];
  for (const [name, { show, submit, receive }] of Object.entries(all)) {
    const path = `${mount}/${name}`;
    const receives = receive !== undefined;
    if (show) below.push({ operation: `GET ${path}`, method: 'GET', path, receives });
    if (submit || receive) below.push({ operation: `POST ${path}`, method: 'POST', path, receives });
  }
  return below;
}

/** One request in five is to a page for people. */
const pageProbability = 0.2;

/** A valid request by somebody, with ids of their own or of somebody else's. */
export async function drawRequest(world: FuzzWorld, random: Random): Promise<FuzzRequest> {
  const isPage = random.chance('page', pageProbability);
  const callers = world.callers.filter(({ csrf, name }) => (csrf === undefined) !== isPage || name === 'nobody');
  const caller = random.pick('caller', callers);
  return isPage ? drawPage(world, caller, random) : drawOperation(world, caller, random);
}

async function drawOperation(world: FuzzWorld, caller: FuzzCaller, random: Random): Promise<FuzzRequest> {
  const [operation, { cases }] = random.pick('operation', Object.entries(matrix));
  const accessCase = random.pick('case', cases);
  const [method = '', template = ''] = operation.split(' ');
  const of = drawResources(world, caller, operation, random);
  const query = [...new URLSearchParams(accessCase.query?.(of))] as [string, string][];
  const body = formOf(operation, world, caller, random) ?? (await encoded(await accessCase.body?.(of, caller.own)));
  const message: HttpMessage = { method, path: pathOf(template, of), query, headers: [...caller.headers], body, wire: 'intact' };
  return { operation, caller, message };
}

/** Anybody may pay into any IBAN of the sandbox, so nobody pays into those whose rows may not change. */
function drawResources(world: FuzzWorld, caller: FuzzCaller, operation: string, random: Random): Resources {
  const others =
    operation === 'POST /sandbox/credits' ? world.holders.filter((holder) => !world.bystanders.includes(holder)) : world.holders;
  const foreign = () => random.pick('holder', others).own;
  return random.pick('whose', [() => caller.own, () => caller.own, foreign, foreign, missing])();
}

/** Bodies of the endpoints that take forms, for which the matrix sends nothing. */
function formOf(operation: string, { client }: FuzzWorld, caller: FuzzCaller, random: Random): MessageBody | undefined {
  if (!['POST /auth', 'POST /auth/token', 'POST /auth/revoke'].includes(operation)) return undefined;
  const grants = ['client_credentials', 'refresh_token', 'authorization_code', 'urn:unknown'];
  const token = caller.headers[0]?.[1].replace('Bearer ', '') ?? 'x';
  const fields: [string, string][] = [
    ['grant_type', random.pick('grant', grants)],
    ['client_id', client.id],
    ['client_secret', 'wrong'],
    ['redirect_uri', client.redirectUri],
    ['code', 'x'.repeat(43)],
    ['code_verifier', 'v'.repeat(43)],
    ['code_challenge', 'A'.repeat(43)],
    ['refresh_token', 'r'.repeat(43)],
    ['token', token],
  ];
  return { kind: 'form', fields };
}

async function encoded(body: unknown): Promise<MessageBody> {
  if (body === undefined) return { kind: 'none' };
  return body instanceof FormData
    ? { kind: 'multipart', parts: [['file', png.toString('latin1'), 'invoice.png']] }
    : { kind: 'json', value: body };
}

function drawPage(world: FuzzWorld, caller: FuzzCaller, random: Random): FuzzRequest {
  const { operation, method, path, receives } = random.pick('which page', pages);
  const { client } = world;
  const authorization: [string, string][] = [
    ['client_id', client.id],
    ['redirect_uri', client.redirectUri],
    ['code_challenge', 'A'.repeat(43)],
    ['state', 's'],
  ];
  const fields = Object.entries(pageFields(world, random)).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  );
  const csrf: [string, string] = ['csrf', random.chance('wrong csrf', 0.1) ? 'wrong' : (caller.csrf ?? 'none')];
  const file: [string, string, string] = ['file', png.toString('latin1'), 'passport.png'];
  const form: MessageBody = receives ? { kind: 'multipart', parts: [csrf, file] } : { kind: 'form', fields: [csrf, ...fields] };
  const query = path.startsWith('/authorize') ? authorization : [];
  const role = random.pick('role', ['representatives', 'finalBeneficiaries', 'directors']);
  query.push(
    ...((random.chance('parameters', 0.3)
      ? [
          ['role', role],
          ['index', '0'],
          ['kind', 'idDocument'],
          ['person', foreignId(world, random)],
        ]
      : []) as [string, string][]),
  );
  const message: HttpMessage = {
    method,
    path,
    query,
    headers: [...caller.headers],
    body: method === 'GET' ? { kind: 'none' } : form,
    wire: 'intact',
  };
  return { operation, caller, message };
}

const foreignId = ({ holders }: FuzzWorld, random: Random) => {
  const { own, user } = random.pick('holder of id', holders);
  return random.pick('kind of id', [own.profile, user, own.file, own.order]);
};

/** What the pages ask for, all at once: a page takes the fields that it knows. Ids are those of somebody else. */
function pageFields(world: FuzzWorld, random: Random): Record<string, string | string[]> {
  const { email } = random.pick('email', world.holders);
  return {
    ...random.pick('details', [filled.person, filled.company]),
    ...random.pick('form', [filled.personForm, filled.companyForm]),
    ...filled.passport,
    kind: random.pick('kind', ['personal', 'corporate']),
    email,
    password: 'not the right password',
    newPassword: 'correct horse battery staple',
    code: '123456',
    action: random.pick('action', ['end', 'end-others', 'remove', 'revoke', 'allow', 'deny', 'rename']),
    session: foreignId(world, random),
    application: random.pick('application', [world.client.id, foreignId(world, random)]),
    id: foreignId(world, random),
    passkey: foreignId(world, random),
    address: random.pick('wallet', world.holders).own.wallet.address,
    chain: 'chiado',
    signature: `0x${'11'.repeat(65)}`,
    credential: '{}',
    response: '{}',
    decision: 'allow',
  };
}
