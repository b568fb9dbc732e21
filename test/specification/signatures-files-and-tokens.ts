import { document } from '../api/access/access-matrix-tenants.ts';
import { createWallet, linkMessage } from '../api/support/test-api.ts';
import { own, query } from './requests.ts';
import { below, type Endpoint, is } from './documented-rows.ts';
import * as shapes from './shapes.ts';
import { send } from './world.ts';

const areDistinct = (tokens: { currency: string; chain: string }[]) =>
  new Set(tokens.map(({ currency, chain }) => `${currency} ${chain}`)).size === tokens.length;

/** The endpoints of signature requests, files and tokens (docs/api.md, Signature requests; docs/api.md, Files; docs/api.md, Tokens). */
export const signaturesFilesAndTokens: Endpoint[] = [
  {
    row: 'GET /signatures',
    lists: [200, 400, 404, 500],
    answers: [
      is(
        200,
        '{pending: [Pending signature], total} with header X-Total-Count',
        shapes.listOf('pending', shapes.pendingSignature).refine(({ total }) => total === 1),
        async (world) => {
          const { address } = createWallet();
          const json = { address, chain: 'chiado', message: linkMessage, signature: '0x' };
          await send(world, 'POST', '/addresses', { as: 'private', json });
          return {
            as: 'private',
            path: `/signatures${query({ address, chain: 'chiado', kind: 'linkAddress', profile: own(world).profile })}`,
          };
        },
        { 'x-total-count': /^1$/ },
      ),
      is(400, 'kind is neither linkAddress nor order', shapes.refusal(400, 'kind'), () => ({
        as: 'private',
        path: '/signatures?kind=other',
      })),
    ],
    never: { 404: 'a profile that does not exist is answered as one of somebody else', 500: below },
  },
  {
    row: 'POST /files',
    lists: [200],
    answers: [is(200, 'File', shapes.file, () => ({ as: 'private', file: document() }))],
  },
  {
    row: 'GET /tokens',
    lists: [200],
    answers: [
      is(200, 'array of Token, one entry per currency and chain', shapes.token.array().refine(areDistinct), () => ({ as: 'private' })),
    ],
  },
];
