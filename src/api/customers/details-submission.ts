import type { z } from 'zod';
import { verifiedPersons, withPersonIds } from '../../ledger/customers/profile-persons.ts';
import type { Submission } from '../../ledger/customers/profile-submissions.ts';
import type { corporateDetails, personalDetails } from './profile-details-schema.ts';

/** The details of a person, as they are submitted. They name the profile. */
export function personSubmission(data: z.output<typeof personalDetails>): Submission {
  return { section: 'details', data, name: `${data.firstName} ${data.lastName}` };
}

/** The details of a company, as they are submitted for a profile: each person has an id, and those who must be verified are listed. */
export function companySubmission(profile: string, details: z.output<typeof corporateDetails>): Submission {
  const data = withPersonIds(profile, details);
  return { section: 'details', data, name: data.name, persons: verifiedPersons(data) };
}
