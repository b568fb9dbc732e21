import { createWallet, linkBody } from '../api/support/test-api.ts';
import { swapTokens } from '../api/swap/swap-maker.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { send, type World } from './world.ts';

const { eur: takerToken, usd: makerToken } = swapTokens;
const quote = { takerToken, makerToken, takerAmount: '100' };

async function commit(world: World) {
  const wallet = createWallet();
  await send(world, 'POST', '/addresses', { as: 'private', json: await linkBody(wallet, 'arbitrumsepolia') });
  return { ...quote, taker: wallet.address, chainId: 421_614 };
}

/** The endpoints of swaps (docs/api.md, Swap). */
export const swap: Endpoint[] = [
  {
    row: 'POST /swap',
    lists: [200],
    answers: [
      is(200, 'takerAmount quotes a sell amount', shapes.quote, () => ({ as: 'private', json: quote })),
      is(200, 'makerAmount quotes a buy amount', shapes.quote, () => ({
        as: 'private',
        json: { takerToken, makerToken, makerAmount: '12.50' },
      })),
    ],
  },
  {
    row: 'POST /swap/commit',
    lists: [200],
    answers: [
      is(
        200,
        'a short-lived signed quote, executable only on the chain ID it returns',
        shapes.committedQuote.refine(({ expiry }) => expiry > Date.now() / 1_000 && expiry < Date.now() / 1_000 + 3_600),
        async (world) => ({ as: 'private', json: await commit(world) }),
      ),
    ],
  },
];
