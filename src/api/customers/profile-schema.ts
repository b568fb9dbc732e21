import { z } from '@hono/zod-openapi';
import * as output from '../../wire/output-fields.ts';

export const profileKinds = ['personal', 'corporate'] as const;
export const profileStates = ['created', 'incomplete', 'pending', 'approved', 'rejected'] as const;

const section = z.object({ state: z.enum(['incomplete', 'pending', 'approved', 'rejected']) });

/** Name, kind and state (docs/api.md, Profile). */
export const profileSummary = z
  .object({ id: output.uuid, kind: z.enum(profileKinds), name: z.string(), state: z.enum(profileStates) })
  .openapi('ProfileSummary');

/** A profile as every answer shows it (docs/api.md, Profile). What its sections hold is never shown again. */
export const profileSchema = profileSummary
  .extend({
    details: section,
    form: section,
    verifications: z
      .array(
        section.extend({
          kind: z.string(),
          personId: output.uuid.optional().openapi({ description: 'whom of the details of a company it is about' }),
        }),
      )
      .openapi({ description: 'every verification that is needed; the profile is complete when none is incomplete' }),
  })
  .openapi('Profile');
