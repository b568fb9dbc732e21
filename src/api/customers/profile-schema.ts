import { z } from '@hono/zod-openapi';
import * as output from '../../wire/output-fields.ts';

/** The kinds of a profile, in wire spelling (docs/api.md, Profiles). */
export const profileKinds = ['personal', 'corporate'] as const;
/** The states of a profile, in wire spelling (docs/api.md, Profiles). */
export const profileStates = ['created', 'incomplete', 'pending', 'approved', 'rejected'] as const;

const sectionSchema = z.object({ state: z.enum(['incomplete', 'pending', 'approved', 'rejected']) });

/** A profile as lists show it (docs/api.md, Profile). */
export const profileSummarySchema = z
  .object({ id: output.uuid, kind: z.enum(profileKinds), name: z.string(), state: z.enum(profileStates) })
  .openapi('ProfileSummary');

/** A profile as every answer shows it (docs/api.md, Profile). The data of its sections is never shown. */
export const profileSchema = profileSummarySchema
  .extend({
    details: sectionSchema,
    form: sectionSchema,
    verifications: z
      .array(
        sectionSchema.extend({
          kind: z.string(),
          personId: output.uuid.optional().openapi({ description: "the person of a company's details whom it is about" }),
        }),
      )
      .openapi({ description: 'every verification that is required; the profile is complete when none is incomplete' }),
  })
  .openapi('Profile');
