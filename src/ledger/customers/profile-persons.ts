import { createHash } from 'node:crypto';

/** What the id of a person is made of. */
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
 * Details of a company with an id for each person, to which verifications refer as `personId`: the client's own, else one
 * made of name and birthday, so that a person with two roles is one, and stays the same when the details are sent again.
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

/** Who must prove identity and residence: those who act for the company and those who own it. */
export function verifiedPersons(details: { representatives: { id: string }[]; finalBeneficiaries: { id: string }[] }): string[] {
  return [...new Set([...details.representatives, ...details.finalBeneficiaries].map(({ id }) => id))];
}

/** UUID of version 8 (RFC 9562). */
function derivedId(profile: string, { firstName, lastName, birthday }: Person): string {
  const seed = JSON.stringify([profile, firstName.toLowerCase(), lastName.toLowerCase(), birthday]);
  const hex = createHash('sha256').update(seed).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
