import { html } from 'hono/html';
import { type CompanyRole, companyRoles, maxPersons } from '../../customers/profile-details-schema.ts';
import type { Html } from '../page.ts';
import { type CompanyDraft, type DraftPerson, personName, personsWithout } from './company-draft.ts';
import { companyPersonFields } from './details-fields.ts';
import { renderProblems } from './section-page.ts';

/** The roles of a company's persons, in words. */
export const roleTexts: Record<CompanyRole, { title: string; singular: string; hint: string }> = {
  representatives: {
    title: 'Representatives',
    singular: 'representative',
    hint: 'Everybody who acts for the company here, with an identity document.',
  },
  finalBeneficiaries: {
    title: 'Beneficial owners',
    singular: 'beneficial owner',
    hint: 'Everybody who holds a quarter of the company or more, directly or through others. Leave it empty if nobody does.',
  },
  directors: { title: 'Directors', singular: 'director', hint: 'Everybody who is entered as a director.' },
};

/** The persons of a company by their roles, with buttons of the form around them. `problems` are by the path in the details. */
export function renderPersons(draft: CompanyDraft, problems: Record<string, string>): Html {
  return html`${companyRoles.map((role) => renderRole(draft, role, problems))}`;
}

function renderRole(draft: CompanyDraft, role: CompanyRole, problems: Record<string, string>): Html {
  const { title, singular, hint } = roleTexts[role];
  const problem = problems[role];
  return html`<fieldset class="persons" aria-describedby="${role}-hint${problem === undefined ? '' : ` ${role}-problem`}">
    <legend>${title}</legend>
    <p class="hint" id="${role}-hint">${hint}</p>
    ${problem === undefined ? '' : html`<p class="problem" id="${role}-problem">${title} ${problem}</p>`}
    ${draft[role].map((person, index) => renderPerson(person, { role, problems: problemsAt(problems, `${role}.${index}.`) }))}
    ${
      draft[role].length >= maxPersons
        ? ''
        : html`<button name="action" value="add ${role}" class="secondary">Add a ${singular}</button> ${personsWithout(draft, role).map(
              (person) =>
                html`<button name="action" value="copy ${role} ${person.id}" class="secondary">
                  ${personName(person)} is a ${singular}, too
                </button>`,
            )}`
    }
  </fieldset>`;
}

interface RoleOfPerson {
  role: CompanyRole;
  problems: Record<string, string>;
}

function renderPerson(person: DraftPerson, { role, problems }: RoleOfPerson): Html {
  const name = personName(person);
  const share = typeof person['ownershipPercentage'] === 'string' ? `, ${person['ownershipPercentage']} %` : '';
  return html`<div class="person">
    <p>${name}${share}</p>
    <span
      ><button name="action" value="edit ${role} ${person.id}" class="link" aria-label="Change ${name}">Change</button>
      <button name="action" value="remove ${role} ${person.id}" class="link" aria-label="Remove ${name}">Remove</button></span
    >
    ${Object.keys(problems).length === 0 ? '' : renderProblems(companyPersonFields[role], problems)}
  </div>`;
}

function problemsAt(problems: Record<string, string>, prefix: string): Record<string, string> {
  const own = Object.entries(problems).filter(([path]) => path.startsWith(prefix));
  return Object.fromEntries(own.map(([path, text]) => [path.slice(prefix.length), text]));
}
