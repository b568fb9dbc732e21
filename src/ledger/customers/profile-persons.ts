import { createHash } from 'node:crypto';

/** A person of a company's details, as far as an id is derived from it. */
interface Person {
  id?: string | undefined;
  firstName: string;
  lastName: string;
  birthday: string;
}

interface Company {
  representatives: Person[];
  finalBeneficiaries: Person[];
  directors: Person[];
}

/**
 * Returns the details of a company with an id for each person, to which verifications refer as `personId`. It is the client's own, or else
 * derived from name and birthday: then a person with two roles has one id, and keeps it when the details are submitted again.
 */
export function withPersonIds<Details extends Company>(profile: string, details: Details) {
  const identified = (person: Person) => Object.assign({}, person, { id: person.id ?? derivedId(profile, person) });
  return {
    ...details,
    representatives: details.representatives.map(identified),
    finalBeneficiaries: details.finalBeneficiaries.map(identified),
    directors: details.directors.map(identified),
  };
}

/** The ids of those who must prove identity and residence: who acts for the company, and who owns it. */
export function verifiedPersons(details: { representatives: { id: string }[]; finalBeneficiaries: { id: string }[] }): string[] {
  return [...new Set([...details.representatives, ...details.finalBeneficiaries].map(({ id }) => id))];
}

/** In the form of a random UUID, as all ids of the API. It is one within the profile only, so whoever works it out gains nothing. */
function derivedId(profile: string, { firstName, lastName, birthday }: Person): string {
  const seed = JSON.stringify([profile, firstName.toLowerCase(), lastName.toLowerCase(), birthday]);
  const hex = createHash('sha256').update(seed).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
