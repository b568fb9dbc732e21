import { Copyable, Iban } from '../design/hash.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { groupDigits, Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { Day, Time } from '../design/time.tsx';
import { CreditActions } from './credit-actions.tsx';
import { hasAccount, PartyAccount, partyName } from './payer.tsx';
import type { Credit } from './queries.ts';
import { RepeatComparison } from './repeat-comparison.tsx';
import styles from './unmatched-credit.module.css';

/** One unmatched credit: what the bank says of it, why it waits, and what can be done; a suspected repeat beside what it may repeat. */
export function UnmatchedCredit({ credit }: { credit: Credit }) {
  const { amount, amountText, currency, payer, reason, repeats } = credit;
  const money = amount === null ? (amountText ?? 'Amount not known') : `${groupDigits(amount)} ${currency?.toUpperCase() ?? ''}`;
  return (
    <Section title={`${money} from ${partyName(payer)}`} actions={<CreditActions credit={credit} />}>
      <div className={styles.content}>
        <p className={styles.reason}>Waits because {reason}.</p>
        {repeats === null ? <Facts credit={credit} /> : <RepeatComparison credit={credit} recorded={repeats} />}
      </div>
    </Section>
  );
}

function Facts({ credit }: { credit: Credit }) {
  const { amount, currency, payer, bookedOn, receivedAt, iban, remittance, endToEndId, uetr, reference, message, source } = credit;
  return (
    <div className={styles.facts}>
      <FieldList>
        <FieldRow name="Amount">{amount !== null && <Money amount={amount} currency={currency ?? undefined} />}</FieldRow>
        <FieldRow name="Payer">{partyName(payer)}</FieldRow>
        <FieldRow name="Account">{hasAccount(payer) && <PartyAccount {...payer} />}</FieldRow>
        <FieldRow name="To IBAN">{iban === null ? null : <Iban value={iban} />}</FieldRow>
        <FieldRow name="Message to us">{remittance}</FieldRow>
      </FieldList>
      <FieldList>
        <FieldRow name="Booked">{bookedOn === null ? null : <Day day={bookedOn} />}</FieldRow>
        <FieldRow name="Received">
          <Time at={receivedAt} show="both" />
        </FieldRow>
        <FieldRow name="Reference">
          <Copyable value={reference} />
        </FieldRow>
        <FieldRow name="EndToEndId">{endToEndId}</FieldRow>
        <FieldRow name="UETR">{uetr}</FieldRow>
        <FieldRow name="File">{[source, message].filter(Boolean).join(' · ')}</FieldRow>
      </FieldList>
    </div>
  );
}
