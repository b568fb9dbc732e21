import { createWallet, linkBody } from '../api/support/test-api.ts';
import { swapTokens } from '../api/swap/swap-maker.ts';
import { type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { send, type World } from './world.ts';

const { eur: takerToken, usd: makerToken } = swapTokens;
const quote = { takerToken, makerToken, takerAmount: '100' };

async function commit(world: World, given: object = {}) {
  const wallet = createWallet();
  await send(world, 'POST', '/addresses', { as: 'private', json: await linkBody(wallet, 'arbitrumsepolia') });
  return { ...quote, taker: wallet.address, chainId: 421_614, ...given };
}

/** The endpoints of swaps (docs/api.md, Swap). */
export const swap: Endpoint[] = [
  {
    row: 'POST /swap',
    headers: 'A, B',
    lists: [200, 400, 401, 403],
    answers: [
      is(200, 'takerAmount quotes a sell amount', shapes.quote, () => ({ as: 'private', json: quote })),
      is(200, 'makerAmount quotes a buy amount', shapes.quote, () => ({
        as: 'private',
        json: { takerToken, makerToken, makerAmount: '12.50' },
      })),
      ...['takerToken', 'makerToken'].map((field) =>
        is(400, `${field} is required`, shapes.refusal(400, field), () => ({ as: 'private', json: { ...quote, [field]: undefined } })),
      ),
      is(400, 'not exactly one of the two amounts', shapes.refusal(400, 'takerAmount', 'makerAmount'), () => ({
        as: 'private',
        json: { ...quote, makerAmount: '1' },
      })),
      is(403, 'the user lets the application read only', shapes.refusal(403), () => ({ as: 'user', json: quote })),
    ],
  },
  {
    row: 'POST /swap/commit',
    headers: 'A, B',
    lists: [200, 400, 403],
    answers: [
      is(
        200,
        'a short-lived signed quote, executable only on the chain ID it returns',
        shapes.committedQuote.refine(({ expiry }) => expiry > Date.now() / 1_000 && expiry < Date.now() / 1_000 + 3_600),
        async (world) => ({ as: 'private', json: await commit(world) }),
      ),
      is(400, 'another chain', shapes.refusal(400, 'chainId'), async (world) => ({
        as: 'private',
        json: await commit(world, { chainId: 1 }),
      })),
      is(403, 'the taker is not linked', shapes.refusal(403), async (world) => ({
        as: 'private',
        json: await commit(world, { taker: createWallet().address }),
      })),
    ],
  },
];
