import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSession } from '../../src/ledger/access/sessions.ts';
import { userSubject } from '../../src/ledger/access/subject.ts';
import { hashOfBystanders } from './bystanders.ts';
import { runCampaign } from './campaign.ts';
import { createFuzzWorld, type FuzzEnvironment, type FuzzWorld, type Holder } from './fuzz-world.ts';
import { renderCounts, renderFinding } from './report.ts';

/** `npm run fuzz` sets these; with every other test run goes a short campaign. */
const { FUZZ_REQUESTS, FUZZ_SEED = '1', FUZZ_ENVIRONMENT } = process.env;
const isWhole = FUZZ_REQUESTS !== undefined;
const seed = Number(FUZZ_SEED);
const environment = (FUZZ_ENVIRONMENT ?? 'sandbox') as FuzzEnvironment;
const shortRequests = 150;

/** Twelve hours: how long a campaign may take is for whoever starts it to say. */
const wholeTimeoutMs = 12 * 3_600_000;

describe('whatever anybody sends', () => {
  let world: FuzzWorld;
  beforeAll(async () => void (world = await createFuzzWorld(environment)));
  afterAll(() => world?.close());

  it(
    'leaks nothing of others, changes nothing of theirs, is answered as documented and never by 5xx',
    async () => {
      const requests = isWhole ? Number(FUZZ_REQUESTS) : shortRequests;
      const print = (line: string) => void (isWhole && process.stdout.write(`${environment}: ${line}\n`));
      const result = await runCampaign(world, { requests, seed }, print);
      for (const line of renderCounts(result)) print(line);
      const findings = result.findings.map((finding) => renderFinding(finding, seed));
      print(`seed ${seed}: ${result.sent} requests, ${findings.length} findings`);
      expect(findings.join('\n\n')).toBe('');
      expect(result.sent).toBeGreaterThanOrEqual(requests);
    },
    isWhole ? wholeTimeoutMs : 300_000,
  );

  it('and a row of theirs that is changed, deleted or added would be seen', async () => {
    const [{ own, user }] = world.bystanders as [Holder];
    const before = await hashOfBystanders(world);
    const write = (statement: string, ...values: string[]) => world.api.pool.query(statement, values);
    await write("update orders set memo = 'x' where id = $1", own.order);
    await write("update ibans set state = 'closed' where iban = $1", own.iban);
    await write('delete from passkeys where user_id = $1', user);
    await createSession(world.api.ledger, userSubject(user), { browser: 'Firefox', network: '127.0.0.1' });
    const after = await hashOfBystanders(world);
    const changed = Object.keys(after).filter((table) => after[table] !== before[table]);
    expect(changed).toEqual(expect.arrayContaining(['orders', 'ibans', 'passkeys', 'sessions']));
  });
});
