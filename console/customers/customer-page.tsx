import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ActionButton } from '../design/action-button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { Address, Copyable, Iban } from '../design/hash.tsx';
import { Page, Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { ClaimedFacts, nameOfField } from './claimed-facts.tsx';
import styles from './customer-page.module.css';
import { ProfileState } from './customers-page.tsx';
import { Documents } from './documents.tsx';
import { type Customer, customerQuery } from './queries.ts';
import { ReviewActions } from './review-actions.tsx';

const route = getRouteApi('/app/customers/$id');

/** One customer: what is claimed, beside the documents that prove it, and what was decided before. */
export function CustomerPage() {
  const { id } = route.useParams();
  const { data: customer } = useSuspenseQuery(customerQuery(id));
  const { name, kind, state, email, sections, labels } = customer;
  return (
    <Page title={name} actions={<ReviewActions customer={customer} />}>
      <Section title="Profile" actions={<ProfileState state={state} />}>
        <FieldList>
          <FieldRow name="Profile">
            <Copyable value={id} />
          </FieldRow>
          <FieldRow name="Kind">{kind}</FieldRow>
          <FieldRow name="E-mail">{email}</FieldRow>
          <FieldRow name="Orders">
            <Link to="/orders" search={{ profile: id }}>
              Orders of this customer
            </Link>
          </FieldRow>
        </FieldList>
      </Section>
      <div className={styles.review}>
        <div className={styles.claims}>
          {sections.map(({ section, state: sectionState, data, updatedAt }) => (
            <Section
              key={section}
              title={`Claimed: ${section}`}
              actions={
                <>
                  <StateBadge state={sectionState} /> <Time at={updatedAt} />
                </>
              }
            >
              {data === null ? <EmptyState title="Nothing was submitted." /> : <ClaimedFacts value={data} labels={labels} />}
            </Section>
          ))}
        </div>
        <Documents key={id} customer={customer} />
      </div>
      <Accounts customer={customer} />
      <History customer={customer} />
    </Page>
  );
}

function Accounts({ customer: { id, addresses, ibans } }: { customer: Customer }) {
  return (
    <Section title="Addresses and IBANs">
      {addresses.length + ibans.length === 0 && <EmptyState title="No address is linked, and no IBAN assigned." />}
      <ul className={styles.list}>
        {addresses.map(({ address, chains }) => (
          <li key={address} className={styles.item}>
            <span>
              <Address value={address} chain={chains[0]} full /> {chains.join(', ')}
            </span>
            <ActionButton
              action="customers.release-address"
              label="Release"
              title="Take the address from the customer"
              lead="Payments to the IBAN that leads there wait until the IBAN is moved."
              input={{ address, profile: id }}
              reason={false}
            />
          </li>
        ))}
        {ibans.map(({ iban, chain, address, state, linked }) => (
          <li key={iban} className={styles.item}>
            <span>
              <Iban value={iban} /> leads to <Address value={address} chain={chain} /> on {chain}
              {!linked && ', which is no longer linked: payments wait'}
            </span>
            <StateBadge state={state} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function History({ customer: { reviews } }: { customer: Customer }) {
  return (
    <Section title="History of reviews">
      {reviews.length === 0 && <EmptyState title="It was never reviewed." />}
      <ol className={styles.list}>
        {reviews.toReversed().map(({ decision, reason, errors, decidedBy, decidedAt }) => (
          <li key={decidedAt}>
            <p>
              <StateBadge state={decision}>{decision === 'incomplete' ? 'asked for more' : decision}</StateBadge> by {decidedBy},{' '}
              <Time at={decidedAt} show="both" />
            </p>
            {reason !== null && <p>{reason}</p>}
            {errors !== null && (
              <ul className={styles.errors}>
                {errors.map((error) => (
                  <li key={`${error.field} ${error.reason}`}>
                    {nameOfField(error.field)}: {error.reason}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </Section>
  );
}
