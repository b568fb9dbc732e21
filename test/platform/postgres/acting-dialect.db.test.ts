import { sql } from 'kysely';
import type { Pool } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createLedger, inTransaction, type Ledger } from '../../../src/ledger/ledger.ts';
import { wakesNobody } from '../../../src/ledger/wake-ups.ts';
import { type Actor, actAs, actAsSystem } from '../../../src/platform/acting.ts';
import { createPool } from '../../../src/platform/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { keepSent } from '../../support/sent-statements.ts';

const otto: Actor = { kind: 'operator', id: 'otto', correlationId: 'of-the-request' };
const user: Actor = { kind: 'user', id: 'a-user', application: 'an-application' };

const add = (to: Ledger, name: string) => sql`insert into operators (name, role) values (${name}, 'viewer')`.execute(to);

describe('what is written for an actor', () => {
  let database: TestDatabase;
  let pool: Pool;
  let ledger: Ledger;
  /** What the one connection has sent since the test began. */
  let sent: unknown[];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool({ connectionString: database.url, max: 1 });
    sent = keepSent(pool);
    ledger = createLedger(pool, wakesNobody);
  });
  beforeEach(() => {
    sent.length = 0;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const addedBy = async (name: string) => {
    const { rows } = await pool.query('select actor_kind, actor, correlation_id, detail from audit_log where subject = $1', [name]);
    return rows as unknown[];
  };
  const byNobody = [{ actor_kind: 'system', actor: 'mintrail', correlation_id: null, detail: { role: 'viewer' } }];
  const byOtto = [{ actor_kind: 'operator', actor: 'otto', correlation_id: 'of-the-request', detail: { role: 'viewer' } }];

  it('names the actor where the statement is alone, and the next user of the connection is not the actor', async () => {
    await actAs(otto, () => add(ledger, 'alone'));
    expect(sent).toHaveLength(3);
    await add(ledger, 'after-alone');
    expect(sent).toHaveLength(4);
    expect([await addedBy('alone'), await addedBy('after-alone')]).toEqual([byOtto, byNobody]);
  });

  it('names the actor of a transaction, who is told in the message that begins it', async () => {
    await actAs(user, () => inTransaction(ledger, (tx) => add(tx, 'within')));
    expect(sent).toHaveLength(3);
    expect(sent[0]).toMatch(/^begin; set local mintrail\.actor = '.*'$/);
    await inTransaction(ledger, (tx) => add(tx, 'after-within'));
    const byUser = {
      actor_kind: 'user',
      actor: 'a-user',
      correlation_id: null,
      detail: { role: 'viewer', application: 'an-application' },
    };
    expect([await addedBy('within'), await addedBy('after-within')]).toEqual([[byUser], byNobody]);
  });

  it('needs no transaction to read', async () => {
    await actAs(otto, () => sql`select 1`.execute(ledger));
    await actAs(otto, () => sql`with known as (select 1 as number) select number from known`.execute(ledger));
    expect(sent).toHaveLength(2);
  });

  it('is refused in a transaction of another or of nobody, and nothing is written', async () => {
    const refused = /^A transaction of the operator otto was about to write for the (user a-user|service)$/;
    const asUser = actAs(otto, () => inTransaction(ledger, (tx) => actAs(user, () => add(tx, 'of-another'))));
    await expect(asUser).rejects.toThrow(refused);
    const asNobody = actAs(otto, () => inTransaction(ledger, (tx) => actAsSystem(() => add(tx, 'of-another'))));
    await expect(asNobody).rejects.toThrow(refused);
    await expect(inTransaction(ledger, (tx) => actAs(user, () => add(tx, 'of-another')))).rejects.toThrow('A transaction of the service');
    expect(await addedBy('of-another')).toEqual([]);
  });

  it('is undone when it fails, and the connection goes on', async () => {
    await actAs(otto, () => add(ledger, 'twice'));
    await expect(actAs(otto, () => add(ledger, 'twice'))).rejects.toMatchObject({ code: '23505' });
    await add(ledger, 'after-failure');
    expect([await addedBy('twice'), await addedBy('after-failure')]).toEqual([byOtto, byNobody]);
  });

  it('is written again where the columns that a prepared statement returns have changed', async () => {
    await sql`create table changing (value int)`.execute(ledger);
    const write = () => actAs(otto, () => sql`insert into changing values (${1}) returning *`.execute(ledger));
    await write();
    await write();
    await sql`alter table changing alter value type bigint`.execute(ledger);
    expect((await write()).rows).toEqual([{ value: 1n }]);
    expect((await sql`select from changing`.execute(ledger)).rows).toHaveLength(3);
  });
});
