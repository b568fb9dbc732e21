import { z } from '@hono/zod-openapi';
import * as output from '../../wire/output-fields.ts';

/** The kinds of a profile, in wire spelling (docs/api.md, Profiles). */
export const profileKinds = ['personal', 'corporate'] as const;
/** The states of a profile, in wire spelling (docs/api.md, Profiles). */
export const profileStates = ['created', 'incomplete', 'pending', 'approved', 'rejected'] as const;

const sectionSchema = z.object({
  state: z.enum(['incomplete', 'pending', 'approved', 'rejected']).openapi({
    description: '`incomplete`: data is missing. `pending`: it is complete and not decided yet. `approved` and `rejected`: it is decided.',
  }),
});

/** A profile as lists show it (docs/api.md, Profile). */
export const profileSummarySchema = z
  .object({
    id: output.uuid.openapi({ description: 'Id of the profile.' }),
    kind: z.enum(profileKinds).openapi({ description: 'A person or a company. It never changes.' }),
    name: z.string().openapi({ description: 'The name of the customer; empty before the details are submitted.' }),
    state: z.enum(profileStates).openapi({
      description:
        '`created`, `incomplete`: data is missing. `pending`: it is in review. `approved`: it may receive an IBAN and place orders. `rejected`: it is not served; final.',
    }),
  })
  .openapi('ProfileSummary', { description: 'A profile, without its sections.' });

/** A profile as every answer shows it (docs/api.md, Profile). The data of its sections is never shown. */
export const profileSchema = profileSummarySchema
  .extend({
    details: sectionSchema.openapi({ description: 'Who the customer is.' }),
    form: sectionSchema.openapi({ description: 'What the customer does and intends.' }),
    verifications: z
      .array(
        sectionSchema.extend({
          kind: z.string().openapi({ description: 'What is verified, such as `idDocument`.' }),
          personId: output.uuid.optional().openapi({ description: 'Id of the person of a company whom it is about.' }),
        }),
      )
      .openapi({ description: 'Every verification that is required. The profile is complete when no section is incomplete.' }),
  })
  .openapi('Profile', { description: 'A customer, with the states of its sections.' });
