import { describe, expect, it } from 'vitest';
import { companyDraft, personsWithout, withPerson } from '../../../src/api/hosted/onboarding/company-draft.ts';

const jane = { firstName: 'Jane', lastName: 'Doe', birthday: '1990-05-01' };

describe('the draft of a company', () => {
  it('gives somebody with several roles one id, and a new name in all of them', () => {
    const first = withPerson(companyDraft({}), 'representatives', jane);
    const [id] = first.representatives.map((person) => person.id);
    const both = withPerson(first, 'directors', { ...jane, firstName: 'JANE' });
    expect(both.directors.map((person) => person.id)).toEqual([id]);
    const renamed = withPerson(both, 'directors', { ...jane, firstName: 'Janet' }, id);
    expect(renamed.representatives).toEqual([{ ...jane, firstName: 'Janet', id }]);
    expect(personsWithout(renamed, 'finalBeneficiaries')).toHaveLength(1);
  });

  it('has nobody twice in a role, when somebody is renamed to somebody else', () => {
    const one = withPerson(companyDraft({}), 'directors', jane);
    const two = withPerson(one, 'directors', { ...jane, firstName: 'Eve' });
    const [janesId, evesId] = two.directors.map((person) => person.id);
    expect(evesId).not.toBe(janesId);
    expect(withPerson(two, 'directors', jane, evesId).directors).toEqual([{ ...jane, id: janesId }]);
  });
});
