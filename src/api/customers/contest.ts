import { z } from '@hono/zod-openapi';

/** What is told to each of several profiles that wait for the fixed sentence of one account on chain (docs/api.md, Signatures). */
export const contest =
  'Another profile waits for the same account to sign the same sentence on chain, which names neither, so it links neither: the account is linked to the profile for which it signs a linking message (docs/api.md, Linking message), and `ended` of GET /signatures tells the others';

/** {@link contest} in an answer, which has it only while it is so. */
export const contestSchema = z.string().openapi({
  description: 'Present while another profile waits for the same account to sign the fixed sentence on chain: what ends that.',
});
