/** What begins with neither a folder of the root nor `ponder.config.ts` is below `src/`. */
const words = (...lines: string[]): string[] =>
  lines.flatMap((line) => line.split(' ').map((name) => (/^(abis$|client$|src\/|ponder)/.test(name) ? name : `src/${name}`)));

const rooms = 'access accounts customers orders lanes bank reserve webhooks growth recovery';
const wholeLedger = ['src/ledger', ...rooms.split(' ').map((room) => `src/ledger/${room}`)];

/**
 * What each folder may import besides itself. Everything stands below what imports it, so that no circle can arise; what is not
 * in the table may import nothing of ours. A folder that is not named belongs to the one around it.
 */
export const layers: Readonly<Record<string, readonly string[]>> = {
  'src/platform': [],
  // A package of its own.
  client: [],
  'src/bank': words('platform'),
  'src/chain': words('platform abis'),
  'src/indexed': words('platform abis'),
  'src/swap': words('platform'),
  'src/webhooks': words('platform'),

  // The tables, and the types of their rows. Of the bank they know what money looks like, not the messages that carry it.
  'src/schema': words('platform bank/credit.ts bank/recall.ts'),

  // The files of the ledger's root serve its rooms.
  'src/ledger': words('schema platform'),
  'src/ledger/access': words('schema ledger platform'),
  'src/ledger/book': words('ledger platform'),
  'src/ledger/customers': words('schema ledger/access ledger platform'),
  'src/ledger/accounts': words('schema ledger/customers ledger/access ledger platform'),
  'src/ledger/orders': words('schema ledger/book ledger/customers ledger/access ledger platform'),
  'src/ledger/lanes': words('schema ledger/book ledger/orders ledger platform'),
  'src/ledger/bank': words('schema ledger/book ledger/orders ledger/access ledger platform bank/credit.ts bank/rail.ts bank/recall.ts'),
  'src/ledger/recovery': words('schema ledger/bank ledger/lanes ledger/orders ledger platform bank/credit.ts'),
  'src/ledger/reserve': words('schema ledger/book ledger platform'),
  'src/ledger/webhooks': words('schema ledger/orders ledger/access ledger platform'),

  // Who signs in to the console, and what a second one of them approves. What signs users in is used again, never their tables.
  'src/ledger/operators': words('schema ledger/access ledger platform'),

  // Transactions of the Safes that administer tokens.
  'src/ledger/safes': words('schema ledger platform'),

  'src/ledger/growth': words('ledger platform'),

  'src/wire': words('schema ledger/orders ledger/customers platform'),
  'src/statements': words('ledger/bank ledger/orders ledger bank platform'),
  'src/reconciliation': words('ledger/bank ledger/reserve ledger/book ledger/lanes ledger indexed platform'),
  // All that belongs to an order, for the operator.
  'src/trace': words('schema ledger/book ledger/customers ledger/orders ledger/reserve ledger indexed platform'),
  // What is wrong, for the operator and for the metrics of the common worker.
  'src/problems': words(
    'schema ledger/growth ledger/operators ledger/customers ledger/webhooks ledger/reserve ledger/bank ledger/lanes ledger/orders',
    'ledger platform',
  ),

  'src/workers': [
    ...wholeLedger,
    ...words('schema problems ledger/book statements reconciliation wire chain bank indexed webhooks platform'),
  ],
  // What every room of the API takes, then the rooms of the resources, then the app that joins them. What customers sign are the client's
  // messages: the API checks the same texts.
  'src/api/swap-maker.ts': words('chain swap platform'),
  'src/api/proxy-watch.ts': words('ledger/lanes ledger platform'),
  'src/api/api.ts': words('api/proxy-watch.ts api/swap-maker.ts ledger/orders ledger/access ledger indexed webhooks platform'),
  'src/api/http': words('api/api.ts ledger/access ledger platform wire'),
  'src/api/service': words('api/api.ts api/http wire ledger/lanes ledger platform'),
  'src/api/docs': words('api/api.ts api/http platform'),
  'src/api/middlewares': words('api/api.ts api/http ledger/access platform'),
  'src/api/oauth': words('api/api.ts api/http api/middlewares wire ledger/orders ledger/customers ledger/access ledger chain', 'platform'),
  'src/api/customers': words(
    'api/api.ts api/http api/middlewares wire ledger/orders ledger/customers ledger/access ledger client chain',
    'platform',
  ),
  // The hosted pages: what all of them are made of, the rooms, and the file that mounts them.
  'src/api/hosted': words(
    'api/api.ts api/http api/middlewares api/oauth ledger/accounts ledger/customers ledger/access ledger',
    'platform',
  ),
  'src/api/hosted/factors': words('api/hosted ledger/accounts ledger/access ledger platform'),
  'src/api/hosted/sign-in': words('api/hosted/factors api/hosted api/middlewares wire ledger/accounts ledger/access ledger platform'),
  'src/api/hosted/onboarding': words('schema api/hosted api/customers api/http wire ledger/customers ledger/access ledger client platform'),
  'src/api/hosted/account': words(
    'schema api/hosted/sign-in api/hosted/factors api/hosted wire ledger/accounts ledger/customers ledger/access',
    'ledger platform',
  ),
  'src/api/hosted/hosted.ts': words('api/hosted/sign-in api/hosted/onboarding api/hosted/account api/hosted api/api.ts api/http platform'),
  'src/api/orders': words(
    'api/api.ts api/http api/middlewares api/customers wire ledger/orders ledger/customers ledger/access ledger',
    'bank/payment-problem.ts bank/payment-rules.ts chain platform',
  ),
  'src/api/webhooks': words('api/api.ts api/http wire ledger/webhooks ledger/orders ledger/access webhooks platform'),
  'src/api/swap': words(
    'api/api.ts api/http api/orders wire ledger/orders ledger/customers ledger/access swap chain platform',
    'api/swap-maker.ts',
  ),
  'src/api/sandbox': words(
    'bank/credit.ts api/api.ts api/http api/middlewares api/customers wire ledger/bank ledger/book',
    'ledger/customers platform',
  ),
  'src/api': words(
    'api/service api/docs api/oauth api/customers api/hosted/hosted.ts api/hosted api/orders api/webhooks',
    'api/swap api/swap-maker.ts api/proxy-watch.ts api/sandbox api/api.ts api/http api/middlewares ledger/lanes ledger/orders',
    'ledger indexed webhooks platform',
  ),
  // What an operator can change, for the console and the command line, of which it knows nothing.
  'src/operations': words(
    'schema ledger/access ledger/accounts ledger/bank ledger/book ledger/customers ledger/lanes ledger/operators ledger/orders ledger/recovery',
    'ledger/reserve ledger/safes ledger/webhooks ledger trace problems statements bank/credit.ts bank/payment-rules.ts bank/recall.ts chain platform',
  ),

  // Where operators see and act: nothing of the public API, and nothing of the command line, with which it shares what is below both.
  'src/console': words(
    'operations schema ledger/access ledger/bank ledger/customers ledger/lanes ledger/operators ledger/orders',
    'ledger/reserve ledger/safes ledger/webhooks ledger trace reconciliation statements problems',
    'chain wire platform abis',
  ),

  // Starts the processes, each by a dynamic import, and shows the operator what the ledger holds.
  'src/cli': [
    'src/schema',
    ...wholeLedger.filter((folder) => folder !== 'src/ledger/accounts' && folder !== 'src/ledger/webhooks'),
    ...words(
      'ledger/operators ledger/book api api/customers console workers problems statements reconciliation trace',
      'client chain bank webhooks platform abis operations',
    ),
  ],

  // All of it on one machine, for development. Nothing above imports it, and the image does not contain it.
  sandbox: [
    ...words(
      'cli workers operations statements trace reconciliation chain indexed bank schema',
      'ledger/access ledger/book ledger/customers ledger/lanes ledger/reserve ledger platform client abis',
    ),
  ],

  // Ponder's program, which runs in a process of its own.
  indexer: words('ponder.config.ts indexed platform'),
  'ponder.config.ts': words('indexed abis'),
};
