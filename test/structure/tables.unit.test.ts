import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript-5';
import { describe, expect, it } from 'vitest';
import { entryOf, nodesOf, parse, sourceFiles } from './sources.ts';

interface Access {
  /** Tables that it reads and writes. */
  owns?: readonly string[];
  /** Tables of others that it reads. */
  reads?: readonly string[];
  /** Tables of others that it writes, too. */
  writes?: readonly string[];
  /** Whether it reads what Ponder has indexed. */
  indexed?: boolean;
}

const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));

/** The tables that the SQL of each folder may touch. A folder that is not named has no SQL of its own. */
const tables: Readonly<Record<string, Access>> = {
  'src/ledger/access': {
    owns: words(
      'users applications grants access_tokens refresh_tokens passwords sessions sign_in_tries sign_in_failures known_devices consents',
      'passkeys webauthn_challenges totp_seeds recovery_codes pending_sign_ins',
      'authorization_codes message_nonces idempotency_keys audit_log',
    ),
    // A permission is about a profile, and an address signs its owner in. Whoever is disabled does not sign in.
    reads: words('profiles addresses address_links released_addresses operators'),
  },
  'src/ledger/customers': {
    owns: words(
      'profiles profile_sections profile_verifications profile_shares profile_reviews',
      'addresses address_links released_addresses ibans files',
    ),
    reads: words('users'),
    // An address that leaves its profile has the signatures that wait for it looked at.
    writes: words('events signature_requests'),
  },
  'src/ledger/accounts': { owns: words('email_codes mailed_codes mails'), reads: words('passwords'), writes: words('users') },
  // The rooms write it by the statements of this one, and read nothing of it.
  'src/ledger/book': {
    owns: words('entries postings balances balance_changes account_days'),
    // The source of a reversal counts how often it was undone.
    reads: words('bank_debits reversals'),
  },
  'src/ledger/orders': {
    owns: words(
      'orders open_orders legs leg_history open_legs redemption_sums leg_failures account_backoffs signature_requests swap_quotes events',
    ),
    reads: words('profiles addresses address_links files unrecorded_outcomes transactions transaction_attempts payments reserve_breaches'),
    writes: words('credits claims audit_log'),
  },
  'src/ledger/lanes': {
    owns: words(
      'transactions transaction_attempts token_sequences token_openings gas_spending signer_amounts heartbeats networks index_owners',
      'index_rebuilds',
    ),
    reads: words('account_backoffs orders open_orders legs leg_history reserve_breaches unrecorded_outcomes credits claims'),
    writes: words('open_legs leg_failures'),
  },
  'src/ledger/bank': {
    owns: words(
      'bank_bookings bank_debits bank_documents bank_reports bank_statements claims credits payments payment_files bank_files recalls report_money reversals unknown_payment_statuses',
    ),
    reads: words(
      'legs leg_history entries leg_failures reserve_breaches ibans profiles addresses address_links recoveries unrecorded_outcomes',
    ),
    writes: words('orders open_legs audit_log'),
  },
  'src/ledger/reserve': { owns: words('reserve_breaches comparisons reserve_samples'), reads: words('open_legs') },
  'src/ledger/recovery': {
    owns: words('unrecorded_outcomes outcome_audits'),
    reads: words(
      'orders legs leg_history transaction_attempts addresses address_links payments bank_debits bank_reports report_money recoveries networks credits claims leg_failures',
    ),
    writes: words('open_legs token_sequences'),
  },
  'src/ledger/webhooks': {
    owns: words('webhook_subscriptions webhook_deliveries'),
    reads: words('applications users profiles'),
    writes: words('events'),
  },
  'src/ledger/operators': {
    owns: words('operators operator_invitations approvals bank_uploads'),
    // Whether there is something newer, what was done without a second person, and what operators sign in with.
    reads: words('events audit_log passwords passkeys recovery_codes sessions'),
  },
  'src/ledger/safes': { owns: words('safe_transactions safe_signatures') },
  'src/ledger/recoveries.ts': { owns: words('recoveries') },
  // The first id that is free. Nothing else reads the secret.
  'src/ledger/derived-ids.ts': { owns: words('order_id_secret'), reads: words('orders payments') },
  'src/ledger/growth': { reads: words('transactions leg_failures'), writes: words('transaction_attempts') },
  // What it counts is of all rooms.
  'src/ledger/quotas.ts': { owns: words('quota_usage'), reads: words('addresses profiles signature_requests webhook_subscriptions') },
  // The library that counts requests brings its own statements.
  'src/platform/limits': { owns: words('rate_limits') },
  // Which processes run.
  'src/schema': { reads: words('heartbeats') },
  // Whether what is indexed can be trusted.
  'src/indexed': { reads: words('index_rebuilds'), indexed: true },
  'src/trace': {
    reads: words(
      'orders profiles ibans legs leg_history leg_failures credits payments payment_files bank_debits transactions transaction_attempts',
    ),
  },
  'src/reconciliation': { reads: words('open_orders leg_history open_legs credits payments token_openings claims bank_debits') },
};

const schema = globSync('src/schema/*.sql').map((file) => readFileSync(file, 'utf8'));
const known = new Set(
  schema.flatMap((text) => [...text.matchAll(/^create (?:(?:unlogged )?table|view) (\w+)/gm)].map(([, table = '']) => table)),
);

/** What Ponder makes: its tables behind their schema, and the schema itself. */
const indexedNames = /["}]\.(outcome|supply|balance|_ponder_\w+)\b|_ponder_(meta|checkpoint)\b/;

const reading = new Set(['selectFrom', 'innerJoin', 'leftJoin', 'from', 'using']);
const writing = new Set(['insertInto', 'updateTable', 'deleteFrom']);

interface Touched {
  table: string;
  isWritten: boolean;
}

/** What the SQL of a file touches. */
interface Sql {
  tables: Touched[];
  readsIndex: boolean;
}

/** The tables that the query builder's calls in a file name, and those that its SQL names. */
function sqlOf(source: ts.SourceFile): Sql {
  const touched: Touched[] = [];
  let readsIndex = false;
  for (const node of nodesOf(source)) {
    if (ts.isCallExpression(node)) touched.push(...builderTables(node));
    else if (isSql(node)) {
      touched.push(...sqlTables(textOf(node)));
      readsIndex ||= indexedNames.test(node.getText(source));
    } else if (ts.isStringLiteral(node) && source.fileName.startsWith('src/ledger/') && isTableVariable(node))
      touched.push({ table: snakeCase(node.text), isWritten: true });
  }
  return { tables: touched.filter(({ table }) => known.has(table)), readsIndex };
}

function builderTables({ expression, arguments: given }: ts.CallExpression): Touched[] {
  const [first] = given;
  if (!ts.isPropertyAccessExpression(expression) || first === undefined) return [];
  const method = expression.name.text;
  if (!reading.has(method) && !writing.has(method)) return [];
  const names = nodesOf(first)
    .filter(ts.isStringLiteral)
    .map(({ text }) => snakeCase(text.split(' ')[0] ?? ''));
  return names.map((table) => ({ table, isWritten: writing.has(method) }));
}

/** The names in a list such as `for (const table of ['accessTokens', 'refreshTokens'] as const)`. */
function isTableVariable(node: ts.StringLiteral): boolean {
  const list = node.parent;
  const owner = list.parent && ts.isAsExpression(list.parent) ? list.parent.parent : list.parent;
  return ts.isArrayLiteralExpression(list) && owner !== undefined && ts.isForOfStatement(owner);
}

type Template = ts.TemplateLiteral | ts.StringLiteral;

/** A template tagged `sql`, or a text that reads like a statement or a part of one. */
function isSql(node: ts.Node): node is Template {
  if (!ts.isTemplateExpression(node) && !ts.isStringLiteralLike(node)) return false;
  if (ts.isTaggedTemplateExpression(node.parent)) return ts.isIdentifier(node.parent.tag) && node.parent.tag.text === 'sql';
  return /\bselect\b[\s\S]*\bfrom\b|\binsert into \w+|\bdelete from \w+|\bupdate \w+( \w+)? set\b/.test(textOf(node));
}

/** Its text without comments and quoted values; an expression in it becomes a space. */
function textOf(node: Template): string {
  const text = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join(' ')
    : node.text;
  return text.replaceAll(/--.*$/gm, ' ').replaceAll(/'[^']*'/g, "''");
}

/** Every word that is a table's name, except columns (`t.users`) and new names (`as events`). */
function sqlTables(text: string): Touched[] {
  return [...text.matchAll(/(?<before>\b(?:insert into|update|delete from|truncate|as)\s+)?(?<![\w."'])(?<table>[a-z_]+)\b(?!")/g)].flatMap(
    ({ groups: { before = '', table = '' } = {} }) => (/^as\s/.test(before) ? [] : [{ table, isWritten: before !== '' }]),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const touched = new Map(sourceFiles.filter((file) => file.endsWith('.ts')).map((file) => [file, sqlOf(parse(file))] as const));

function problemsOf(file: string, sql: Sql): string[] {
  const { owns = [], reads = [], writes = [], indexed = false } = entryOf(tables, file)?.entry ?? {};
  const problems = sql.tables.flatMap(({ table, isWritten }) => {
    if (owns.includes(table) || writes.includes(table)) return [];
    if (isWritten) return [`${file} writes ${table}`];
    return reads.includes(table) ? [] : [`${file} reads ${table}`];
  });
  if (sql.readsIndex && !indexed && !file.startsWith('indexer/')) problems.push(`${file} reads what Ponder has indexed`);
  return [...new Set(problems)];
}

const problems = (file: string, text: string) => problemsOf(file, sqlOf(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)));

describe('the tables', () => {
  it('are touched by the folders that name them', () => {
    expect([...touched].flatMap(([file, sql]) => problemsOf(file, sql))).toEqual([]);
  });

  it('have one owner each', () => {
    const owned = Object.values(tables).flatMap(({ owns = [] }) => owns);
    expect(owned.toSorted()).toEqual([...known].toSorted());
  });

  it('are named by no folder that does not touch them', () => {
    const unused = Object.entries(tables).flatMap(([folder, { owns = [], reads = [], writes = [], indexed = false }]) => {
      const statements = [...touched].filter(([file]) => entryOf(tables, file)?.folder === folder).map(([, sql]) => sql);
      if (indexed && !statements.some(({ readsIndex }) => readsIndex)) return [`${folder}: indexed`];
      const used = statements.flatMap((sql) => sql.tables);
      const missing = [...owns, ...reads].filter((table) => !used.some((one) => one.table === table));
      return [...missing, ...writes.filter((table) => !used.some((one) => one.table === table && one.isWritten))].map(
        (table) => `${folder}: ${table}`,
      );
    });
    expect(unused).toEqual(['src/platform/limits: rate_limits']);
  });

  it("are written by one file where they are an order's state", () => {
    const writers = [...touched.keys()].filter((file) => /\bupdate orders\b|updateTable\('orders'\)/.test(readFileSync(file, 'utf8')));
    expect(writers).toEqual(['src/ledger/orders/lifecycle.ts']);
  });
});

describe('advisory locks', () => {
  it('have their names in one file', () => {
    const takers = [...touched.keys()].filter((file) => /advisory_(xact_)?lock\(/.test(readFileSync(file, 'utf8')));
    expect(takers).toEqual(['src/ledger/advisory-locks.ts', 'src/platform/postgres/advisory-lock.ts', 'src/schema/migrate.ts']);
  });
});

describe('the check of the tables', () => {
  it('sees what the query builder names', () => {
    const text = "ledger.selectFrom('legs as l').innerJoin('orders as o', 'o.id', 'l.orderId'); ledger.updateTable('webhookDeliveries')";
    expect(problems('src/ledger/lanes/x.ts', text)).toEqual(['src/ledger/lanes/x.ts writes webhook_deliveries']);
  });

  it('sees what SQL names, in lists and below other tables', () => {
    const text =
      'sql`with x as (select * from legs l, ${a} orders o join profiles using (id)) update heartbeats set seen_at = now() from x, payments`';
    expect(problems('src/ledger/lanes/x.ts', text)).toEqual([
      'src/ledger/lanes/x.ts reads profiles',
      'src/ledger/lanes/x.ts reads payments',
    ]);
    expect(problems('src/api/x.ts', 'pool.query(`delete from sessions where hash = $1`)')).toEqual(['src/api/x.ts writes sessions']);
    expect(
      problems('src/api/x.ts', "// select events from orders\nthrow new Error('no orders'); sql`select 1 as events, o.legs from x o`"),
    ).toEqual([]);
  });

  it("sees what reads Ponder's views", () => {
    const text = 'pool.query(`select 1 from "${viewsSchema(chain)}".outcome`)';
    expect(problems('src/workers/x.ts', text)).toEqual(['src/workers/x.ts reads what Ponder has indexed']);
    expect(problems('src/indexed/x.ts', text)).toEqual([]);
  });
});
