import { ActionButton } from '../design/action-button.tsx';
import { nameOfField } from './claimed-facts.tsx';
import type { Customer } from './queries.ts';
import { ReasonsByField, readReasons } from './reasons-by-field.tsx';

/** The decisions about a profile that is in review. */
export function ReviewActions({ customer }: { customer: Customer }) {
  const { id, state, reviews } = customer;
  const shown = { profile: id, reviews: reviews.length };
  if (state !== 'pending') return null;
  const fields = fieldsOf(customer);
  return (
    <>
      <ActionButton
        action="customers.reject"
        label="Reject"
        title="Reject the customer for good"
        lead="Nothing more can be submitted afterwards. The customer reads the reasons."
        input={shown}
        readForm={(form) => ({ reason: form.get('reason'), errors: readReasons(form) })}
        tone="danger"
      >
        <ReasonsByField fields={fields} isRequired={false} />
      </ActionButton>
      <ActionButton
        action="customers.ask-for-more"
        label="Ask for more"
        title="Send the profile back"
        lead="What you name must be submitted again; the customer reads why."
        input={shown}
        readForm={(form) => ({ errors: readReasons(form) })}
        reason={false}
      >
        <ReasonsByField fields={fields} isRequired />
      </ActionButton>
      <ActionButton action="customers.approve" label="Approve" input={shown} reason={false} tone="primary" />
    </>
  );
}

/** What can be named: each section with its fields, and each verification. */
function fieldsOf({ sections, verifications }: Customer): { value: string; label: string }[] {
  const ofSections = sections.flatMap(({ section, data }) => {
    const names = typeof data === 'object' && data !== null ? Object.keys(data).filter((name) => /^[A-Za-z]+$/.test(name)) : [];
    return [section, ...names.map((name) => `${section}.${name}`)];
  });
  const ofVerifications = verifications.map(({ kind, personId }) => (personId === '' ? kind : `${kind}.${personId}`));
  return [...ofVerifications, ...ofSections].map((value) => ({ value, label: nameOfField(value) }));
}
