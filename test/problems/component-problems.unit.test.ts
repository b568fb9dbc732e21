import { describe, expect, it } from 'vitest';
import type { Heartbeat } from '../../src/ledger/lanes/heartbeats.ts';
import type { OpenLegs } from '../../src/ledger/lanes/open-legs.ts';
import { loadNetwork, type Settings } from '../../src/platform/settings.ts';
import { componentProblems } from '../../src/problems/component-problems.ts';

const now = new Date('2026-05-06T03:00:00Z');
const alarm = { kind: 'gas_money', subject: '0x1 gas', text: '0x1 holds 0 wei', since: '2026-05-06T02:00:00.000Z' };

const beat = (component: Heartbeat['component'], chain: Heartbeat['chain'], facts: object = {}, age = 1): Heartbeat => ({
  component,
  chain,
  facts: { ok: true, ready: true, ...facts },
  age,
  process: component,
});

const waiting = (chain: OpenLegs['chain']): OpenLegs => ({
  chain,
  kind: chain === '' ? 'payout' : 'issue',
  state: 'ready',
  isMore: false,
  count: 1,
  older: [0, 0, 0],
  oldestSeconds: 60,
});

const problems = (heartbeats: Heartbeat[], openLegs: OpenLegs[] = [], networks: Settings['networks'] = {}) =>
  componentProblems({ heartbeats, openLegs, networks, now });

/** Problems but those of processes that never ran. */
const seenProblems = (...args: Parameters<typeof problems>) => problems(...args).filter(({ kind }) => kind !== 'worker_missing');

const all = [beat('worker', 'chiado'), beat('indexer', 'chiado'), beat('common', ''), beat('api', '')];

const parked = (subject: string, since: string, cause = 'the token is paused') => {
  const [signer, kind] = subject.split(' ') as [string, string];
  return { kind: 'lane_parked', subject, text: `the lane of ${signer} does not send ${kind}: ${cause}`, since, waiting: kind, cause };
};

describe('all is well', () => {
  it('when every process reports that it is', () => {
    expect(problems(all, [waiting('chiado'), waiting('')])).toEqual([]);
  });

  it('never when no process has reported anything', () => {
    expect(problems([])).toMatchObject([{ kind: 'worker_missing', text: expect.stringContaining('is a worker running?') as string }]);
  });

  it('not before each process of each configured network has reported something, although no leg waits', () => {
    const networks = { chiado: loadNetwork('chiado', {}), sepolia: loadNetwork('sepolia', {}) };
    const missing = problems([beat('worker', 'chiado'), beat('indexer', 'chiado'), beat('api', '')], [], networks);
    expect(missing.map(({ kind, chain, subject, since }) => [kind, chain, subject, since])).toEqual([
      ['worker_missing', '', 'common', now],
      ['worker_missing', 'sepolia', 'worker, indexer', now],
    ]);
    expect(missing[1]?.text).toBe(
      'the worker and the indexer have never written a heartbeat: run `mintrail worker --chain sepolia` and `mintrail indexer --chain sepolia`',
    );
  });

  it('not while legs wait for a worker, an indexer or the common worker that has never reported anything', () => {
    const missing = problems([beat('worker', 'chiado'), beat('api', '')], [waiting('chiado'), waiting('sepolia'), waiting('')]);
    expect(missing.map(({ kind, chain, subject }) => [kind, chain, subject])).toEqual([
      ['worker_missing', '', 'common'],
      ['worker_missing', 'chiado', 'indexer'],
      ['worker_missing', 'sepolia', 'worker, indexer'],
    ]);
    expect(missing[0]?.text).toBe(
      'the common worker has never written a heartbeat, although legs wait for it: run `mintrail worker --common`',
    );
    expect(missing[2]).toMatchObject({
      since: new Date('2026-05-06T02:59:00Z'),
      text: expect.stringContaining('run `mintrail worker --chain sepolia`') as string,
    });
  });

  it('not while a process is silent', () => {
    expect(seenProblems([beat('worker', 'chiado', {}, 40)])).toMatchObject([
      {
        kind: 'worker_silent',
        chain: 'chiado',
        since: new Date('2026-05-06T02:59:20Z'),
        text: expect.stringContaining('for 40 s') as string,
      },
    ]);
  });

  it('not before the API has reported something, and not while it is silent, also where nothing waits', () => {
    const others = all.filter(({ component }) => component !== 'api');
    expect(problems(others, [waiting('')])).toEqual([
      {
        kind: 'worker_missing',
        chain: '',
        subject: 'api',
        since: now,
        text: 'the API has never written a heartbeat: run `mintrail api`',
      },
    ]);
    expect(problems([...others, beat('api', '', {}, 40)])).toMatchObject([
      { kind: 'worker_silent', subject: 'api', text: 'the API has written no heartbeat for 40 s: read its log and run `mintrail api`' },
    ]);
  });

  const since = '2026-05-06T02:30:00.000Z';
  const rebuild = { damage: 'rows are missing', since, block: '7' };
  it.each<[string, object, string, RegExp, from?: string]>([
    ['an indexer is behind', { block: '10', head: '99', since }, 'indexer_behind', /block 10 of 99/],
    [
      'an indexer has read blocks that the chain no longer has',
      { block: '494', head: '437', since },
      'indexer_behind',
      /up to block 494, and the chain ends at block 437/,
    ],
    [
      'a damaged index is rebuilt, however its Ponder ends meanwhile',
      { head: '99', ends: { count: 4, since, last: 'exit code 1' }, rebuild },
      'index_damaged',
      /rows are missing\..* has read block 7 of 99/,
    ],
    [
      'an indexer does not learn the head of its chain',
      { block: '494', head: null, since },
      'indexer_behind',
      /^no endpoint tells the indexer the newest block .* up to block 494/,
    ],
    [
      'the Ponder of an indexer is silent, although no block has come that it could have read',
      { block: '7', head: '7', silentSince: '2026-05-06T02:59:35Z' },
      'indexer_behind',
      /Ponder gives no sign of life: it has read block 7 of 7/,
      '2026-05-06T02:59:35Z',
    ],
  ])('not while %s', (_, facts, kind, text, from = since) => {
    const named = { kind, since: new Date(from), text: expect.stringMatching(text) as string };
    expect(seenProblems([beat('indexer', 'chiado', { ok: false, ...facts })])).toMatchObject([named]);
  });

  it.each(['endpoint_contradicted', 'endpoint_slow'] as const)('not while an indexer finds what is %s', (kind) => {
    const endpoints = [{ kind, name: 'https://rpc.example', since: 1_778_031_000_000, text: 'https://rpc.example has no logs' }];
    expect(seenProblems([beat('indexer', 'chiado', { endpoints })])).toEqual([
      {
        kind,
        chain: 'chiado',
        subject: 'indexer https://rpc.example',
        since: new Date(1_778_031_000_000),
        text: 'the indexer finds that https://rpc.example has no logs',
      },
    ]);
  });

  it('not while an indexer ends again and again, also in the moments in which it looks ready', () => {
    const ends = { count: 2, since: '2026-05-06T02:30:00.000Z', last: 'SIGABRT' };
    expect(seenProblems([beat('indexer', 'chiado', { ends })])).toEqual([]);
    expect(seenProblems([beat('indexer', 'chiado', { ends: { ...ends, count: 3 } })])).toMatchObject([
      {
        kind: 'indexer_crashing',
        since: new Date('2026-05-06T02:30:00Z'),
        text: expect.stringContaining('ended 3 times without running well in between, last with SIGABRT') as string,
      },
    ]);
  });
});

/** What a worker that is not well is called. */
const said = (facts: object) =>
  seenProblems([beat('worker', 'chiado', { ok: false, ...facts })]).map(({ kind, text }) => `${kind}: ${text}`);

describe('a worker that is not well', () => {
  it('says why in an alarm, and before it has raised one by what it sees', () => {
    expect(said({ outage: 'fetch failed', alarms: [alarm] })).toEqual(['gas_money: 0x1 holds 0 wei']);
    expect(said({ outage: 'fetch failed', alarms: [] })).toEqual(['chain_unreachable: no endpoint answers: fetch failed']);
    const since = new Date('2026-05-06T02:59:53Z');
    expect(seenProblems([beat('worker', 'chiado', { ok: false, outage: 'fetch failed', since, alarms: [] })])).toMatchObject([{ since }]);
    expect(said({ outage: null, head: null, alarms: [] })).toEqual(['worker_silent: the worker has not seen a block yet']);
  });
});

describe('an alarm', () => {
  it('is shown as its worker raised it', () => {
    expect(seenProblems([beat('worker', 'chiado', { alarms: [alarm] })])).toEqual([
      { kind: 'gas_money', chain: 'chiado', subject: '0x1 gas', text: '0x1 holds 0 wei', since: new Date(alarm.since) },
    ]);
  });

  it('of a parked lane is as old as what waits for it, also after its worker was started anew', () => {
    const since = '2026-05-06T02:59:58.000Z';
    const parked = { kind: 'lane_parked', subject: '0x1 issue eur', text: 'the token is paused', since, waiting: 'issue' };
    const sinceOf = (openLegs: OpenLegs[]) => seenProblems([beat('worker', 'chiado', { alarms: [parked] })], openLegs)[0]?.since;
    expect(sinceOf([{ ...waiting('chiado'), oldestSeconds: 1_800 }])).toEqual(new Date('2026-05-06T02:30:00Z'));
    expect(sinceOf([{ ...waiting('chiado'), oldestSeconds: 0 }])).toEqual(new Date(since));
  });

  it('of a parked lane is no problem while nothing is ready that it could hold up', () => {
    const ofLane = { ...alarm, kind: 'lane_parked', waiting: 'issue' };
    const others = [{ ...waiting('chiado'), kind: 'redeem' }, { ...waiting('chiado'), state: 'sent' } as const, waiting('sepolia')];
    expect(seenProblems([beat('worker', 'chiado', { alarms: [ofLane] })], others)).toMatchObject([]);
  });

  it('is one problem with all that have the same cause, also of other copies of its worker', () => {
    const later = '2026-05-06T02:30:00.000Z';
    const alarms = [parked('0x1 issue', later), parked('0x1 redeem', alarm.since), parked('0x1 issue', later, 'the operator role is gone')];
    const copies = [beat('worker', 'chiado', { alarms }), beat('worker', 'chiado', { alarms: [parked('0x2 issue', later)] })];
    expect(seenProblems(copies, [waiting('chiado'), { ...waiting('chiado'), kind: 'redeem' }])).toEqual([
      {
        kind: 'lane_parked',
        chain: 'chiado',
        subject: '0x1 redeem',
        text: 'the lane of 0x1 does not send redeem: the token is paused. The same holds up 0x1 issue, 0x2 issue',
        since: new Date(alarm.since),
      },
      {
        kind: 'lane_parked',
        chain: 'chiado',
        subject: '0x1 issue',
        text: 'the lane of 0x1 does not send issue: the operator role is gone',
        since: new Date(later),
      },
    ]);
  });

  it('of a worker that went silent is not shown as present', () => {
    expect(seenProblems([beat('worker', 'chiado', { alarms: [alarm] }, 40)]).map(({ kind }) => kind)).toEqual(['worker_silent']);
  });
});

const onlyChiado = { chiado: loadNetwork('chiado', {}) };

describe('a silent process of a network that is no longer configured', () => {
  it('is no problem once nothing is open there', () => {
    const beats = [beat('worker', 'sepolia', {}, 9_999), beat('indexer', 'sepolia', {}, 9_999)];
    expect(seenProblems(beats, [], onlyChiado)).toEqual([]);
    expect(seenProblems(beats, [waiting('sepolia')], onlyChiado)).toHaveLength(2);
    expect(seenProblems(beats, [], {})).toHaveLength(2);
  });
});
