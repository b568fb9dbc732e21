import { expect, it } from 'vitest';
import { createLagWatch } from '../../../src/workers/indexer/lag-watch.ts';

it('says of an indexer that is behind whether it comes nearer, once, and blames no reorganisation for an outage', () => {
  const judge = createLagWatch(20n);
  const at = (block: number, head = 100, ready = true) => judge({ ready, block: String(block), head: BigInt(head) });
  expect(at(80)).toEqual({ ok: true, news: undefined });
  expect(at(10, 100, false)).toEqual({ ok: false, news: undefined });
  expect(Array.from({ length: 6 }, () => at(10).news)).toEqual([undefined, undefined, undefined, undefined, 'stands still', undefined]);
  expect([20, 30, 40].map((block) => at(block).news)).toEqual(['catches up', undefined, undefined]);
  expect(at(90)).toEqual({ ok: true, news: undefined });
});

it('calls an indexer unwell that has blocks far beyond the end of its chain', () => {
  const judge = createLagWatch(20n);
  const at = (block: number) => judge({ ready: true, block: String(block), head: 100n }).ok;
  expect([at(120), at(121), at(100)]).toEqual([true, false, true]);
});

it('calls an indexer unwell while no endpoint names the head of its chain, and that is no news of its distance', () => {
  const judge = createLagWatch(20n);
  const looks = Array.from({ length: 6 }, () => judge({ ready: true, block: '10', head: undefined }));
  expect(new Set(looks.map(({ ok, news }) => `${ok} ${news}`))).toEqual(new Set(['false undefined']));
});
