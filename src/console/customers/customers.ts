import { Hono } from 'hono';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { findUser } from '../../ledger/access/users.ts';
import { listAddresses } from '../../ledger/customers/addresses.ts';
import { documentContent, recordDocumentsRead } from '../../ledger/customers/document-content.ts';
import { formValueLabels } from '../../ledger/customers/form-value-labels.ts';
import { listIbans } from '../../ledger/customers/ibans.ts';
import { ownerOf } from '../../ledger/customers/own-profile.ts';
import { listProfileDocuments, type ProfileDocument } from '../../ledger/customers/profile-documents.ts';
import { showProfile } from '../../ledger/customers/profile-queries.ts';
import { searchProfile } from '../../ledger/customers/profile-search.ts';
import { contestedLinks } from '../../ledger/orders/contested-links.ts';
import { StopError } from '../../platform/errors.ts';
import { profiles } from '../../operations/customers/profile-view.ts';
import type { Json } from '../../operations/verb.ts';
import type { ConsoleEnv } from '../console-env.ts';
import { validated } from '../http/validated.ts';
import { viewRoute } from '../http/view-route.ts';
import { requireRole } from '../http/require-session.ts';

/** Addresses and IBANs of a profile at most. */
const mostListed = 200;
const mostContested = 50;

const identified = validated('param', z.object({ id: z.uuid() }));

/**
 * A document of a customer, to a reviewer. Somebody who may lie has uploaded it: it has no rights in the browser, is never read as another type than its
 * content had at the upload, and its name is ours. Whole, so that nothing is shown of a file that is not what was uploaded.
 */
const documentRoutes = new Hono<ConsoleEnv>().get(
  '/:id/documents/:file',
  requireRole('reviewer', 'administrator'),
  validated('param', z.object({ id: z.uuid(), file: z.uuid() })),
  async (context) => {
    const { ledger, files, operator, correlationId } = context.var;
    const { id, file } = context.req.valid('param');
    const document = (await listProfileDocuments(ledger, id)).find((listed) => listed.file.id === file);
    if (document === undefined) throw new StopError({ code: 'not_found', message: `The profile ${id} has no document ${file}` });
    await recordDocumentsRead(ledger, { kind: 'operator', id: operator.name, correlationId }, id, [document]);
    const content = await buffer(documentContent(files, document.file));
    const { type } = document.file;
    const isImage = images.has(type);
    return context.body(content, 200, {
      'Content-Type': isImage || type === 'application/pdf' ? type : 'application/octet-stream',
      'Content-Disposition': `${isImage ? 'inline' : 'attachment'}; filename="${file}.${endings[type] ?? 'bin'}"`,
      'Content-Security-Policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
    });
  },
);

/** Customers: who waits for a review, what they claim and prove, and whose an address is. */
export const customerRoutes = new Hono<ConsoleEnv>()
  .route('/', viewRoute(profiles))
  .get('/search', validated('query', z.object({ text: z.string().trim().min(1).max(254) })), async (context) => {
    const profile = await searchProfile(context.var.ledger, context.req.valid('query').text);
    return context.json({ profile: profile ?? null }, 200);
  })
  .get('/contested', async (context) => {
    const { ledger } = context.var;
    const contested = await contestedLinks(ledger, mostContested);
    const ids = [...new Set(contested.flatMap(({ profiles }) => profiles))];
    const shown = await Promise.all(ids.map((id) => showProfile(ledger, id)));
    const names = new Map(shown.flatMap((profile) => (profile === undefined ? [] : [[profile.id, profile.name] as const])));
    return context.json(
      {
        contested: contested.map(({ address, chain, since, profiles: waiting }) => {
          const named = waiting.map((id) => ({ id, name: names.get(id) ?? null }));
          return { address, chain, since, profiles: named };
        }),
      },
      200,
    );
  })
  .get('/:id', identified, async (context) => {
    const { ledger } = context.var;
    const { id } = context.req.valid('param');
    const profile = await showProfile(ledger, id);
    if (profile === undefined) throw new StopError({ code: 'not_found', message: `There is no profile ${id}` });
    const [owner, documents, addresses, ibans] = await Promise.all([
      ownerOf(ledger, id),
      listProfileDocuments(ledger, id),
      listAddresses(ledger, id, undefined, { limit: mostListed }),
      listIbans(ledger, id, undefined, { limit: mostListed }),
    ]);
    const { sections, verifications, ...facts } = profile;
    return context.json(
      {
        ...facts,
        email: owner === undefined ? null : ((await findUser(ledger, owner))?.email ?? null),
        sections: sections.map(({ section, state, data, updatedAt }) => ({ section, state, data: data as Json, updatedAt })),
        labels: labelsIn(sections, profile.kind),
        verifications: verifications.map((verification) => renderVerification(verification, documents)),
        addresses: addresses.rows,
        ibans: ibans.rows,
      },
      200,
    );
  })
  .route('/', documentRoutes);

/** The words for the values that these sections hold, such as `FUND_ORIGIN_SALARY`. */
function labelsIn(sections: unknown, kind: 'personal' | 'corporate'): Record<string, string> {
  const text = JSON.stringify(sections);
  return Object.fromEntries(Object.entries(formValueLabels(kind)).filter(([value]) => text.includes(`"${value}"`)));
}

type Verification = NonNullable<Awaited<ReturnType<typeof showProfile>>>['verifications'][number];

/** Of its documents what they are, and nothing of what they say: reading them is recorded. */
function renderVerification({ kind, personId, state, documents: submitted, updatedAt }: Verification, stored: readonly ProfileDocument[]) {
  const documents = stored
    .filter(({ verification, person }) => verification === kind && person === personId)
    .map(({ side, file }) => ({
      file: file.id,
      type: file.type,
      bytes: file.size,
      kind: submitted.find(({ fileId }) => fileId === file.id)?.kind ?? null,
      side: side ?? null,
    }));
  return { kind, personId, state, updatedAt, documents };
}

/** Types that a browser shows as an image. Everything else is kept as a file, and never interpreted. */
const images: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);
const endings: Readonly<Record<string, string>> = { 'application/pdf': 'pdf', 'image/jpeg': 'jpg', 'image/png': 'png' };
