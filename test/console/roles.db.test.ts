import { beforeAll, describe, expect, it } from 'vitest';
import { verbs } from '../../src/operations/registry.ts';
import { operatorRoles } from '../../src/ledger/operators/operators.ts';
import type { OperatorRole } from '../../src/schema/states.ts';
import { useTestConsole } from './support/test-console.ts';

/** Who may call each route: everybody, everybody who is signed in, or these roles. A new route fails until it has its row. */
const routes: Readonly<Record<string, 'anybody' | 'signed-in' | readonly OperatorRole[]>> = {
  'POST /api/sign-in/password': 'anybody',
  'POST /api/sign-in/passkey/options': 'anybody',
  'POST /api/sign-in/passkey': 'anybody',
  'POST /api/sign-in/link': 'anybody',
  'POST /api/invitation': 'anybody',
  'POST /api/invitation/password': 'anybody',
  'POST /api/invitation/passkey/options': 'anybody',
  'POST /api/invitation/passkey': 'anybody',
  'GET /assets/:file': 'anybody',
  'GET /:file{[\\w-]+\\.(svg|png|json)}': 'anybody',
  'GET /*': 'anybody',
  'POST /api/sign-out': 'signed-in',
  'POST /api/sign-out/everywhere': 'signed-in',
  'GET /api/me': 'signed-in',
  'POST /api/session/use': 'signed-in',
  // Of who is signed in, nobody else's.
  'GET /api/account': 'signed-in',
  'POST /api/account/proof/password': 'signed-in',
  'POST /api/account/proof/passkey/options': 'signed-in',
  'POST /api/account/proof/passkey': 'signed-in',
  'POST /api/account/password': 'signed-in',
  'POST /api/account/app/seed': 'signed-in',
  'POST /api/account/app': 'signed-in',
  'POST /api/account/passkeys/options': 'signed-in',
  'POST /api/account/passkeys': 'signed-in',
  'POST /api/account/passkeys/:id/remove': 'signed-in',
  'POST /api/account/recovery-codes': 'signed-in',
  'GET /api/live': 'signed-in',
  // Each action has its own roles, which the approval of it takes, too: below.
  'POST /api/actions/:name': 'signed-in',
  'POST /api/actions/:name/preview': 'signed-in',
  'GET /api/approvals': 'signed-in',
  'GET /api/approvals/:id': 'signed-in',
  'POST /api/approvals/:id/approve': 'signed-in',
  'POST /api/approvals/:id/refuse': 'signed-in',
  'POST /api/approvals/:id/withdraw': 'signed-in',
  'POST /api/approvals/:id/carry-out': 'signed-in',
  'GET /api/overview/status': 'signed-in',
  'GET /api/overview/reserve': 'signed-in',
  'GET /api/overview/history': 'signed-in',
  'GET /api/overview/activity': 'signed-in',
  'GET /api/overview/signers': 'signed-in',
  'GET /api/bank/waiting': 'signed-in',
  'GET /api/bank/files': 'signed-in',
  'GET /api/bank/files/refused': 'signed-in',
  'GET /api/bank/files/:hash': 'signed-in',
  'POST /api/bank/files': ['treasurer', 'administrator'],
  'GET /api/bank/unmatched': 'signed-in',
  'GET /api/bank/closing/:day': 'signed-in',
  'GET /api/bank/closing/:day/csv': 'signed-in',
  'GET /api/bank/debits': 'signed-in',
  'GET /api/bank/claims': 'signed-in',
  'GET /api/bank/recalls': 'signed-in',
  'GET /api/bank/statements': 'signed-in',
  'GET /api/bank/awaited': 'signed-in',
  'GET /api/bank/payments': 'signed-in',
  'GET /api/bank/payment-files': 'signed-in',
  'GET /api/bank/payment-files/:messageId/content': ['treasurer', 'administrator'],
  'GET /api/customers': 'signed-in',
  'GET /api/customers/search': 'signed-in',
  'GET /api/customers/contested': 'signed-in',
  'GET /api/customers/:id': 'signed-in',
  'GET /api/customers/:id/documents/:file': ['reviewer', 'administrator'],
  'GET /api/applications': 'signed-in',
  'GET /api/audit': 'signed-in',
  'GET /api/networks': 'signed-in',
  'GET /api/networks/:chain/nodes': 'signed-in',
  'GET /api/networks/safe-transactions': 'signed-in',
  'GET /api/networks/safe-transactions/:id': 'signed-in',
  'GET /api/networks/safe-transactions/:id/proposal': 'signed-in',
  'GET /api/networks/safe-transactions/:id/safe-batch': 'signed-in',
  'GET /api/webhooks/subscriptions': 'signed-in',
  'GET /api/webhooks/deliveries': 'signed-in',
  'GET /api/webhooks/deliveries/:id': 'signed-in',
  'GET /api/orders': 'signed-in',
  'GET /api/orders/:id': 'signed-in',
  'GET /api/operators': ['administrator'],
  'POST /api/operators/:name/invitation-code': ['administrator'],
  'GET /api/settings': ['administrator'],
};

const administrator = ['administrator'];
const reviewers = ['reviewer', 'administrator'];
const treasurers = ['treasurer', 'administrator'];

/** Who may ask for each action, and whether it takes a second person. */
const actionRoles: Readonly<Record<string, readonly [readonly string[], 'two' | 'one' | 'depends']>> = {
  'orders.give-back': [treasurers, 'two'],
  'orders.release': [treasurers, 'one'],
  'reserve.acknowledge': [treasurers, 'two'],
  'bank.match': [treasurers, 'depends'],
  'bank.return': [treasurers, 'two'],
  'bank.repeat': [treasurers, 'two'],
  'bank.settle': [treasurers, 'two'],
  'bank.not-booked': [treasurers, 'two'],
  'bank.reject-payment': [treasurers, 'two'],
  'bank.import': [treasurers, 'two'],
  'bank.explain': [treasurers, 'two'],
  'bank.accept-gap': [treasurers, 'one'],
  'bank.recover-claim': [treasurers, 'two'],
  'bank.write-off-claim': [treasurers, 'two'],
  'bank.undo-claim': [treasurers, 'two'],
  'bank.accept-recall': [treasurers, 'two'],
  'bank.refuse-recall': [treasurers, 'one'],
  'bank.undo-recall': [treasurers, 'two'],
  'customers.approve': [reviewers, 'one'],
  'customers.reject': [reviewers, 'one'],
  'customers.ask-for-more': [reviewers, 'one'],
  'customers.decide-address': [reviewers, 'two'],
  'customers.release-address': [reviewers, 'two'],
  'applications.register': [administrator, 'two'],
  'applications.approve': [administrator, 'two'],
  'applications.rotate-secret': [administrator, 'two'],
  'applications.disable': [administrator, 'one'],
  'applications.origins': [administrator, 'depends'],
  'networks.prepare': [administrator, 'two'],
  'networks.sign': [administrator, 'one'],
  'networks.withdraw': [administrator, 'one'],
  'webhooks.replay': [treasurers, 'one'],
  'users.reset-factors': [administrator, 'two'],
  'users.sign-out': [reviewers, 'one'],
  'recovery.begin': [treasurers, 'one'],
  'recovery.apply': [treasurers, 'two'],
  'recovery.accept': [treasurers, 'two'],
  'recovery.set-aside': [treasurers, 'two'],
  'operators.add': [administrator, 'depends'],
  'operators.reset': [administrator, 'two'],
  'operators.role': [administrator, 'two'],
  'operators.disable': [administrator, 'one'],
  'operators.enable': [administrator, 'two'],
};

const console = useTestConsole({ env: { FOUR_EYES: 'yes' } });
let cookies: Map<OperatorRole, string>;

beforeAll(async () => {
  cookies = new Map();
  for (const role of operatorRoles) cookies.set(role, `console-3010=${(await console.signedIn(role)).secret}`);
});

/** The code with which a request is turned down before anything is done; undefined when it is not. */
async function turnedDown(method: string, path: string, cookie: string | undefined): Promise<string | undefined> {
  const response = await console.app.request(`http://localhost:3010${path}`, {
    method,
    headers: {
      Host: 'localhost:3010',
      'Sec-Fetch-Site': 'same-origin',
      ...(method === 'GET' ? {} : { 'Content-Type': 'application/json' }),
      ...(cookie !== undefined && { Cookie: cookie }),
    },
    ...(method === 'GET' ? {} : { body: '{}' }),
  });
  if (response.status !== 401 && response.status !== 403) {
    await response.body?.cancel();
    return undefined;
  }
  const { code } = (await response.json()) as { code: string };
  return ['not_signed_in', 'role_not_sufficient'].includes(code) ? code : undefined;
}

const addressOf = (pattern: string) =>
  pattern
    .replaceAll(/:(id|file)\b/g, '0194d2c8-0000-7000-8000-000000000000')
    .replace(':name', 'orders.give-back')
    .replace(/[:{][^/]*/, 'x');

describe('a route', () => {
  it('has a row, and each row a route', () => {
    const served = console.app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(routes).toSorted()).toEqual([...new Set(served)].toSorted());
  });

  it.each(Object.entries(routes))('%s is for %s', async (route, allowed) => {
    const [method = '', pattern = ''] = route.split(' ');
    const isAction = pattern.startsWith('/api/actions/');
    expect(await turnedDown(method, addressOf(pattern), undefined)).toBe(allowed === 'anybody' ? undefined : 'not_signed_in');
    for (const role of operatorRoles) {
      const { secret } = pattern.startsWith('/api/sign-out') ? await console.signedIn(role) : { secret: undefined };
      const cookie = secret === undefined ? cookies.get(role) : `console-3010=${secret}`;
      const mayAct = isAction ? treasurers.includes(role) : typeof allowed === 'string' || allowed.includes(role);
      expect(await turnedDown(method, addressOf(pattern), cookie), role).toBe(mayAct ? undefined : 'role_not_sufficient');
    }
  });
});

describe('an action', () => {
  it('has a row, and each row an action', () => {
    const registered = verbs.map(({ name, roles, needsSecondPerson }) => {
      const persons = typeof needsSecondPerson === 'function' ? 'depends' : needsSecondPerson ? 'two' : 'one';
      return [name, [[...roles], persons]];
    });
    expect(Object.fromEntries(registered)).toEqual(actionRoles);
  });

  it.each(Object.entries(actionRoles))('%s is for %s', async (name, [roles]) => {
    for (const role of operatorRoles)
      expect(await turnedDown('POST', `/api/actions/${name}`, cookies.get(role)), role).toBe(
        roles.includes(role) ? undefined : 'role_not_sufficient',
      );
  });
});
