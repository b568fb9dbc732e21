import { randomUUID } from 'node:crypto';
import { type CompanyRole, companyRoles, maxPersons } from '../../customers/profile-details-schema.ts';

/** A person of a company as far as a user has entered it; `id` is the one to which verifications refer. */
export interface DraftPerson extends Record<string, unknown> {
  id: string;
}

/** A company's details as far as a user has entered them. */
export interface CompanyDraft extends Record<CompanyRole, DraftPerson[]> {
  [name: string]: unknown;
}

/** A draft, from what is stored of it. */
export function companyDraft(data: Record<string, unknown>): CompanyDraft {
  const { representatives, finalBeneficiaries, directors } = data as Partial<CompanyDraft>;
  return {
    ...data,
    representatives: representatives ?? [],
    finalBeneficiaries: finalBeneficiaries ?? [],
    directors: directors ?? [],
  };
}

/** A person of a draft in one role; `undefined` when there is none of that id. */
export function findPerson(draft: CompanyDraft, role: CompanyRole, id: string): DraftPerson | undefined {
  return draft[role].find((person) => person.id === id);
}

/** The persons of a draft who do not have a role, each once. */
export function personsWithout(draft: CompanyDraft, role: CompanyRole): DraftPerson[] {
  const others = new Map(companyRoles.flatMap((other) => draft[other]).map((person) => [person.id, person]));
  return [...others.values()].filter(({ id }) => findPerson(draft, role, id) === undefined);
}

/**
 * The draft with what was entered of a person in a role, in place of the person `editedId`. Somebody of the same name and birthday in another
 * role is the same person and has one id, so that their documents are needed once. A person whose name changes has the new one in every role.
 */
export function withPerson(draft: CompanyDraft, role: CompanyRole, entered: Record<string, unknown>, editedId?: string): CompanyDraft {
  const edited = editedId === undefined ? undefined : findPerson(draft, role, editedId);
  const same = companyRoles.flatMap((other) => draft[other]).find((person) => identityOf(person) === identityOf(entered));
  const person = { ...entered, id: same?.id ?? edited?.id ?? randomUUID() };
  const at = draft[role].findIndex(({ id }) => id === person.id || id === edited?.id);
  const others = draft[role].filter(({ id }) => id !== person.id && id !== edited?.id);
  const persons = at === -1 ? [...others, person] : others.toSpliced(at, 0, person);
  const { firstName, lastName, birthday } = person as Record<string, unknown>;
  const renamed = (other: DraftPerson) => (other.id === person.id ? { ...other, firstName, lastName, birthday } : other);
  const changed = { ...draft, [role]: persons.slice(0, maxPersons) };
  for (const other of companyRoles) changed[other] = changed[other].map(renamed);
  return changed;
}

/** The draft without a person in a role. */
export function withoutPerson(draft: CompanyDraft, role: CompanyRole, id: string): CompanyDraft {
  return { ...draft, [role]: draft[role].filter((person) => person.id !== id) };
}

/** The name of a person, as far as it was entered. */
export function personName({ firstName, lastName }: Record<string, unknown>): string {
  return [firstName, lastName].filter((part) => typeof part === 'string').join(' ');
}

function identityOf({ firstName, lastName, birthday }: Record<string, unknown>): string {
  return JSON.stringify([firstName, lastName, birthday]).toLowerCase();
}
