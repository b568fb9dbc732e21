import { expect, it } from 'vitest';
import { createProgressWatch, listNotRunning } from '../../sandbox/start-progress.ts';

const indexer = (block: number, facts: object = {}, age = 1) => ({
  component: 'indexer' as const,
  chain: 'gnosis' as const,
  process: '',
  facts: { ready: false, block: String(block), ends: null, ...facts },
  age,
});

it('is made while an indexer that reads the past stands at a later block than before', () => {
  const hasAdvanced = createProgressWatch();
  expect([[], [indexer(900)], [indexer(900)], [indexer(930)], [indexer(900)], [indexer(960)]].map(hasAdvanced)).toEqual([
    false,
    false,
    false,
    true,
    false,
    true,
  ]);
});

it('is not made by an indexer that follows the chain, is silent, or ends again and again', () => {
  for (const facts of [{ ready: true }, { ends: { count: 4 } }]) {
    const hasAdvanced = createProgressWatch();
    expect([[indexer(900, facts)], [indexer(930, facts)]].map(hasAdvanced)).toEqual([false, false]);
  }
  const hasAdvanced = createProgressWatch();
  expect([[indexer(900)], [indexer(930, {}, 20)]].map(hasAdvanced)).toEqual([false, false]);
});

const beat = (component: 'common' | 'worker' | 'indexer', ok: boolean, age = 1) => ({
  component,
  chain: component === 'common' ? ('' as const) : ('gnosis' as const),
  process: '',
  facts: { ok },
  age,
});

it('ends when a copy of every part runs well', () => {
  const running = [beat('common', true), beat('worker', true), beat('indexer', true)];
  expect(listNotRunning([beat('worker', false), ...running], ['gnosis'])).toEqual([]);
  expect(listNotRunning(running, ['gnosis', 'chiado'])).toEqual(['worker chiado', 'indexer chiado']);
  const notWell = [beat('common', true, 16), beat('worker', true), beat('indexer', false)];
  expect(listNotRunning(notWell, ['gnosis'])).toEqual(['common', 'indexer gnosis']);
});
