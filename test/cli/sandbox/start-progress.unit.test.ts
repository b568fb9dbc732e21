import { expect, it } from 'vitest';
import { createProgressWatch } from '../../../src/cli/sandbox/start-progress.ts';

const indexer = (block: number, facts: object = {}, age = 1) => ({
  component: 'indexer' as const,
  chain: 'gnosis' as const,
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
