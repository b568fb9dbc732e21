import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { mintrail } from '../support/processes/mintrail.ts';
import { testLedger } from '../support/test-ledger.ts';

const order = randomUUID();
const account = `0x${'ab'.repeat(20)}`;
const database = testLedger();
const { pool } = database;
const run = (...args: string[]) => mintrail(args, { DATABASE_URL: database.url, FOUR_EYES: 'no' });

describe('the commands that read the ledger', () => {
  it('migrate finds nothing to do at this version', async () => {
    expect(await run('migrate')).toEqual({ code: 0, stdout: 'Nothing to migrate: the tables are at this version.\n', stderr: '' });
    expect(JSON.parse((await run('migrate', '--json')).stdout)).toEqual({ migrations: [], reconnectPooler: false });
  });

  it('migrate sets the search path and the planner of the role where there is a pooler, and says once that it has to reconnect', async () => {
    const variables = { DATABASE_URL: 'postgres://pooler.invalid/', DATABASE_DIRECT_URL: database.url };
    expect((await mintrail(['migrate'], variables)).stdout).toContain('make it reconnect (PgBouncer: RECONNECT)');
    const { rows } = await pool.query(
      'select unnest(setconfig) as setting from pg_db_role_setting join pg_database d on d.oid = setdatabase where datname = current_database() order by 1',
    );
    const settings = ['enable_seqscan=off', 'jit=off', 'max_parallel_workers_per_gather=0', 'search_path=ledger'];
    expect(rows).toEqual(settings.map((setting) => ({ setting })));
    expect((await mintrail(['migrate'], variables)).stdout).toBe('Nothing to migrate: the tables are at this version.\n');
  });

  it('user reset-factors removes the factors of a user', async () => {
    const user = randomUUID();
    await pool.query(`insert into users (id, email, name) values ($1, 'sam@example.org', 'Sam')`, [user]);
    await pool.query(`insert into totp_seeds (user_id, seed, activated_at) values ($1, 'sealed', now())`, [user]);
    const removed =
      'Removed 0 passkeys and the authenticator app. Sam@example.org is signed out everywhere; the password is still valid.\n';
    expect(await run('user', 'reset-factors', 'Sam@example.org', '--yes')).toEqual({ code: 0, stdout: removed, stderr: '' });
    const { rows } = await pool.query(`select actor_kind, action from audit_log where subject = $1`, [user]);
    expect(rows).toEqual([{ actor_kind: 'operator', action: 'totp.remove' }]);
    expect((await run('user', 'reset-factors', 'nobody@example.org')).stderr).toContain('There is no user');
  });

  it('reconcile shows what can be compared while a network has no index, and names the network', async () => {
    const variables = { CHIADO_TOKENS: `eur:${account}`, CHIADO_RPC_URLS: 'http://127.0.0.1:1', CHIADO_SIGNERS: `0x${'11'.repeat(32)}` };
    const reconcile = (...args: string[]) => mintrail(['reconcile', ...args], { DATABASE_URL: database.url, ...variables });
    await pool.query(
      `insert into reserve_breaches (id, comparison, account, currency, difference) values (gen_random_uuid(), 'states', 'liabilities:credits', 'gbp', 7)`,
    );
    const { code, stdout } = await reconcile();
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: expect.stringMatching(/gbp[\s\S]*not compared with the index of chiado/i) as string,
    });
    await pool.query(
      `insert into comparisons (comparison, currency, account, chain, expected, actual, items, difference)
       values ('nodes', 'eur', 'tokens:chiado', 'chiado', 700, 1000, '[{"text": "on its way", "amount": "300"}]', 0)`,
    );
    expect(JSON.parse((await reconcile('--json')).stdout)).toMatchObject({
      comparisons: [
        {
          expected: '7.00',
          actual: '10.00',
          explained: '3.00',
          items: [{ text: 'on its way', amount: '3.00' }],
          difference: '0.00',
          verdict: 'holds',
        },
      ],
      breaches: [{ comparison: 'states', currency: 'gbp', difference: '0.07' }],
    });
    await pool.query('delete from comparisons');
    await pool.query('delete from reserve_breaches');
    const { code: later, stdout: shown, stderr } = await reconcile('--json');
    expect({ later, notReady: (JSON.parse(shown) as { notReady: string[] }).notReady, stderr }).toEqual({
      later: 75,
      notReady: ['chiado'],
      stderr: expect.stringContaining('indexer_not_ready') as string,
    });
  });

  it('orders says that there are none', async () => {
    expect(await run('orders')).toEqual({ code: 0, stdout: 'No orders.\n', stderr: '' });
    expect((await run('orders', '--json')).stdout).toBe('[]\n');
  });

  it('orders lists what fits the filters, as a table without colours or as JSON', async () => {
    await insertOrder();
    const { stdout } = await run('orders', 'list', '--state', 'placed', 'pending', '--chain', 'chiado');
    expect(stdout).toContain(order);
    expect(stdout).toContain('12.34 EUR');
    expect(stdout).not.toContain('\u001B');
    expect((await run('orders', '--kind', 'redeem')).stdout).toBe('No orders.\n');
    const [found] = JSON.parse((await run('orders', '--address', account.toUpperCase(), '--json')).stdout) as unknown[];
    expect(found).toMatchObject({ id: order, amount: '12.34', currency: 'eur', state: 'placed' });
  });

  it('orders show lists the legs of an order, and that there is no other', async () => {
    const { stdout } = await run('orders', 'show', order);
    expect(stdout).toMatch(/issue\s+ready\s+12\.34\s+chiado/);
    expect(stdout).toMatch(/issue waits for a lane of chiado, due for \d+ s\n/);
    await pool.query('delete from open_legs where order_id = $1', [order]);
    await pool.query(`update leg_history set outcome = 'done', tx_hash = '0xabc', block_number = 7, done_at = now() where order_id = $1`, [
      order,
    ]);
    expect((await run('orders', 'show', order)).stdout).toContain('\nhttps://blockscout.chiadochain.net/tx/0xabc\n');
    const { legs } = JSON.parse((await run('orders', 'show', order, '--json')).stdout) as { legs: unknown[] };
    expect(legs).toEqual([expect.objectContaining({ amount: '12.34', block: '7' })]);
    await pool.query(
      `with begun as (
         update leg_history set outcome = null, tx_hash = null, block_number = null, done_at = null where order_id = $1 returning *
       ) ${readyLeg}`,
      [order],
    );
    const missing = await run('orders', 'show', randomUUID());
    expect(missing).toMatchObject({ code: 1, stdout: '' });
    expect(missing.stderr).toContain('There is no order');
  });

  it.each([['orders', 'show'], ['trace']])('%s %s --json has amounts as the API writes them, and no bytes', async (...command) => {
    await pool.query(`update orders set request_hash = '\\x01' where id = $1`, [order]);
    const shown = JSON.parse((await run(...command.filter(Boolean), order, '--json')).stdout) as object;
    const [story] = [shown].flat() as Record<string, unknown>[];
    expect(story).toMatchObject({ order: { id: order, amount: '12.34' }, legs: [{ kind: 'issue', amount: '12.34' }] });
    expect(JSON.stringify(story)).not.toMatch(/requestHash|Buffer|"1234"/);
  });

  it('user lists, shows and signs out those who sign in', async () => {
    const id = randomUUID();
    await pool.query(`insert into users (id, email, name, email_verified_at) values ($1, 'jane@example.com', 'Jane', now())`, [id]);
    await pool.query(
      `insert into sessions (hash, user_id, expires_at, browser, network) values ('x', $1, now() + interval '1 hour', 'Firefox on Linux', '192.0.2.1')`,
      [id],
    );
    expect((await run('user', '--match', 'JANE')).stdout).toMatch(/jane@example\.com\s+Jane\s+yes/);
    const shown = JSON.parse((await run('user', 'show', 'Jane@Example.com')).stdout) as { sessions: unknown[] };
    expect(shown).toMatchObject({ id, sessions: [{ browser: 'Firefox on Linux', network: '192.0.2.1' }] });
    expect((await run('user', 'sign-out', 'jane@example.com', '--yes')).stdout).toBe('1 session has ended.\n');
    expect((await run('audit', '--action', 'user.sign-out', '--subject', id)).stdout).toContain('operator');
    expect((await run('user', 'show', 'nobody@example.com')).stderr).toContain('There is no user');
  });

  it('retention lists what there is, for how long it is kept, and what would go', async () => {
    await pool.query(`select make_partition('events', '2099-01-01Z')`);
    const { stdout } = await run('retention');
    expect(stdout).toMatch(/^ events_\d{4}_\d\d +\d{4}-\d\d-01T00:00:00Z .* 180 d$/m);
    expect(stdout).toContain('Nothing is due to go.');
    expect(stdout).not.toContain('2099');
  });

  it('recover holds payments back, names what nothing explains with its remedy, and ends once it is set aside', async () => {
    expect(JSON.parse((await run('recover', 'begin', '--skip-ibans', '10', '--yes', '--json')).stdout)).toEqual({
      begun: true,
      skippedIbans: 10,
    });
    const { rows } = await pool.query<{ id: string }>(
      `insert into unrecorded_outcomes (chain, kind, token, currency, order_id, account, amount, sequence, tx_hash, block_number)
       values ('chiado', 'issue', '0x12', 'eur', $1, $2, 700, 5, '0xdead', 9) returning id`,
      [randomUUID(), account],
    );
    const id = rows[0]?.id ?? '';
    const open = await run('recover');
    expect(open.code).toBe(1);
    expect(open.stdout).toContain('no payment leaves');
    expect(open.stdout).toContain(`unexplained: ${id}: 7.00 EUR issued to ${account} on chiado in transaction 0xdead (block 9)`);
    expect(open.stdout).toContain(`mintrail recover set-aside ${id} --reason TEXT`);
    expect(JSON.parse((await run('recover', '--json')).stdout)).toMatchObject({ open: [{ id, amount: '7.00', order: null }] });
    expect((await run('recover', 'accept', id, '--yes')).stderr).toContain('see `mintrail recover`');
    const aside = await run('recover', 'set-aside', id, '--reason', 'a stolen key', '--yes', '--json');
    expect(JSON.parse(aside.stdout)).toEqual({ ids: [id], outcomes: 1, payments: 0, reason: 'a stolen key' });
    expect((await run('recover', 'set-aside', id, '--reason', 'again', '--yes')).stdout).toBe('0 of 1 outcomes are set aside.\n');
    await pool.query(`insert into networks (chain, chain_id, genesis_hash) values ('chiado', 10200, '0x1')`);
    const uncompared = await run('recover', '--apply', '--yes', '--json');
    expect(uncompared.code).toBe(1);
    expect(JSON.parse(uncompared.stdout)).toMatchObject({ isEnded: false, openCount: 0, uncompared: ['chiado'] });
    expect((await run('recover')).stdout).toMatch(/not compared: chiado\..*mintrail worker --chain chiado/);
    await pool.query(`insert into outcome_audits (chain, block, compared_at) values ('chiado', 9, now())`);
    expect((await run('recover')).stdout).toContain('With --apply the recovery ends');
    expect((await run('recover', '--apply', '--yes', '--json')).code).toBe(0);
    expect(await run('recover')).toEqual({ code: 0, stdout: 'Nothing is unexplained, and no recovery is open.\n', stderr: '' });
  });

  it('address shows who waits for an address, decides for one of them, and takes the address from a profile', async () => {
    const [first, second] = [await insertProfile(), await insertProfile()];
    const address = `0x${'cd'.repeat(20)}`;
    for (const { profile } of [first, second])
      await pool.query(
        `insert into signature_requests (kind, profile, chain, address, digest, signature, draft) values ('linkAddress', $1, 'chiado', $2, '0x1', '0x', '{"proof": {"kind": "sentence on chain"}}')`,
        [profile, address],
      );
    expect((await run('address', 'show', address)).stdout).toMatch(
      /is linked to no profile\.[^]*chiado +\S+ +sentence[^]*chiado +\S+ +sentence/,
    );
    const decision = await run('address', 'decide', address, '--chain', 'chiado', '--profile', first.profile, '--yes');
    expect(decision).toMatchObject({ code: 0, stdout: expect.stringContaining('1 other request is turned down.') as string });
    const { waiting } = JSON.parse((await run('address', 'show', address, '--json')).stdout) as { waiting: unknown[] };
    expect(waiting).toMatchObject([{ chain: 'chiado', profile: first.profile }]);
    expect((await run('address', 'decide', address, '--chain', 'chiado', '--profile', second.profile, '--yes')).stderr).toContain(
      'does not wait for a signature',
    );

    await pool.query(`insert into addresses (address, profile) values ($1, $2)`, [address, first.profile]);
    await pool.query(`insert into address_links (address, chain, linked_by) values ($1, 'chiado', $2)`, [address, first.user]);
    expect((await run('address', 'show', address)).stdout).toMatch(new RegExp(`chiado +${first.profile} +sentence`));
    expect((await run('address', 'release', address, '--profile', second.profile, '--yes')).stderr).toContain('(address_not_linked)');
    const released = await run('address', 'release', address, '--profile', first.profile, '--yes');
    expect(released).toMatchObject({ code: 0, stdout: expect.stringContaining(`is no longer linked to ${first.profile}.`) as string });
    expect((await pool.query(`select from address_links where address = $1`, [address])).rowCount).toBe(0);
  });

  it('status ends with 1 while nothing runs, with 0 when all is well, and with 1 when a lane is parked', async () => {
    expect(await run('status')).toMatchObject({ code: 1, stdout: expect.stringContaining('is a worker running?') as string });
    await pool.query(
      `insert into heartbeats (component, chain, version, facts) values ('worker', 'chiado', '0.1.0', '{"ok": true, "head": "12"}'), ('indexer', 'chiado', '0.1.0', '{"ok": true, "head": "12", "block": "10"}'), ('common', '', '0.1.0', '{"ok": true}'), ('api', '', '0.1.0', '{"ok": true}')`,
    );
    const well = await run('status');
    expect(well).toMatchObject({ code: 0, stdout: expect.stringContaining('All is well.') as string });
    expect(well.stdout).toMatch(/indexer\s+chiado\s+yes\s+\d+ s ago\s+12\s+10\s+2/);
    const soon = { kind: 'gas_budget', subject: '0x1', text: 'The budget of 0x1 is nearly spent', since: new Date().toISOString() };
    await pool.query(`update heartbeats set facts = facts || $1 where component = 'worker'`, [JSON.stringify({ alarms: [soon] })]);
    expect(await run('status')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing stops money, and nobody has waited for too long\.\n\n1 problem;/) as string,
    });
    const alarms = [{ kind: 'gas_money', subject: '0x1 gas', text: '0x1 holds no gas money', since: '2026-01-01T00:00:00.000Z' }];
    await pool.query(`update heartbeats set facts = facts || $1 where component = 'worker'`, [JSON.stringify({ alarms })]);
    const parked = await run('status', '--json');
    expect(parked.code).toBe(1);
    expect(JSON.parse(parked.stdout)).toMatchObject({
      ok: false,
      problems: [{ kind: 'gas_money', chain: 'chiado', text: '0x1 holds no gas money' }],
    });
  });

  it('say that the tables are missing, and how they are made', async () => {
    await pool.query('drop schema ledger cascade');
    const { code, stderr } = await run('orders');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'Error: The tables are of another version, or a pooler does not find them: run `mintrail migrate`, and then let the pooler reconnect\n(not_migrated)\n',
    );
  });
});

async function insertProfile(): Promise<{ user: string; profile: string }> {
  const [user, profile] = [randomUUID(), randomUUID()];
  await pool.query(`insert into users (id, email, name) values ($1, $2, 'A')`, [user, `${user}@example.org`]);
  await pool.query(`insert into profiles (id, kind, name, state, owner) values ($1, 'personal', 'A', 'approved', $2)`, [profile, user]);
  return { user, profile };
}

const readyLeg = `
  insert into open_legs (id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, state)
  select id, order_id, kind, position, chain, currency, account, amount, signed_by, created_at, 'ready' from begun`;

async function insertOrder(): Promise<void> {
  const { profile } = await insertProfile();
  await pool.query(
    `insert into orders (id, kind, profile, address, chain, currency, amount, counterpart, memo) values ($1, 'issue', $2, $3, 'chiado', 'eur', 1234, '{}', '')`,
    [order, profile, account],
  );
  await pool.query(
    `with begun as (
       insert into leg_history (order_id, kind, position, chain, currency, account, amount) values ($1, 'issue', 0, 'chiado', 'eur', $2, 1234) returning *
     )
     ${readyLeg}`,
    [order, account],
  );
}
