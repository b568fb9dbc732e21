import { ActionButton } from '../design/action-button.tsx';
import { Banner } from '../design/banner.tsx';
import { CheckboxField, TextAreaField } from '../design/form-field.tsx';
import { linesOf } from '../design/form-lines.ts';
import { Money } from '../design/money.tsx';
import { Time } from '../design/time.tsx';
import { comparisonNames } from './comparison-names.ts';
import type { Breach } from './queries.ts';
import styles from './reserve-equations.module.css';

/** The differences for which a currency is not issued, each to be acknowledged with what explains it. */
export function Breaches({ breaches }: { breaches: readonly Breach[] }) {
  return breaches.map((breach) => (
    <div key={`${breach.comparison} ${breach.account}`} className={styles.stopped}>
      <Banner
        tone="negative"
        title={`${breach.currency.toUpperCase()} is not issued: a comparison differs.`}
        actions={<Acknowledge breach={breach} />}
      >
        {comparisonNames[breach.comparison]}, {breach.account || 'trial balance'}:{' '}
        <Money amount={breach.difference} currency={breach.currency} signed /> since <Time at={breach.foundAt} />. Find the cause, then
        acknowledge the difference with what explains it.
      </Banner>
    </div>
  ));
}

function Acknowledge({ breach: { comparison, currency, account, difference } }: { breach: Breach }) {
  return (
    <ActionButton
      action="reserve.acknowledge"
      label="Acknowledge"
      title="Acknowledge a difference"
      lead="Only after its cause is known. Issuing goes on, and this difference is not reported again."
      input={{ comparison, currency, account }}
      readForm={(form) => ({ items: linesOf(form, 'items'), books: form.has('books'), reason: form.get('reason') })}
    >
      <TextAreaField
        name="items"
        label="What explains it"
        hint={`One part a line: an amount, which may be negative, and its text. Together they are ${difference}.`}
        defaultValue={/[1-9]/.test(difference) ? `${difference} ` : ''}
      />
      {comparison === 'index' && (
        <CheckboxField name="books" label="Book it as our own loss or gain" hint="For tokens in circulation that no order explains." />
      )}
    </ActionButton>
  );
}
