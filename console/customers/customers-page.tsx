import { useMutation, useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { morePartsOf } from '../api/more-parts.ts';
import { ActionButton } from '../design/action-button.tsx';
import { Button } from '../design/button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { TextField } from '../design/form-field.tsx';
import { Address } from '../design/hash.tsx';
import { Page, Section, Toolbar } from '../design/page.tsx';
import { Segmented } from '../design/segmented.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import styles from './customers-page.module.css';
import { type Contest, contestedQuery, type ListedProfile, profilesQuery, searchCustomer } from './queries.ts';
import { profileStates } from './search.ts';

const route = getRouteApi('/app/customers');

const columns: readonly Column<ListedProfile>[] = [
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, width: '8rem' },
  { id: 'name', header: 'Name', cell: ({ name }) => name, width: 'minmax(10rem, 2fr)' },
  { id: 'kind', header: 'Kind', cell: ({ kind }) => kind, width: '7rem' },
  { id: 'state', header: 'State', cell: ({ state }) => <ProfileState state={state} />, width: '9rem' },
  { id: 'id', header: 'Profile', cell: ({ id }) => <code>{id}</code>, width: 'minmax(12rem, 1.5fr)', wideOnly: true },
];

const stateOptions = profileStates.map((value) => ({ value, label: value === 'pending' ? 'in review' : value }));

/** Who waits for a review, the oldest first; other customers by their state; and whose an address is. */
export function CustomersPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const list = useSuspenseInfiniteQuery(profilesQuery(search));
  const { data } = list;
  const state = search.state ?? 'pending';
  return (
    <Page title="Customers">
      <Contests />
      <Toolbar>
        <Search />
        <Segmented
          label="State"
          options={stateOptions}
          value={state}
          onChange={(chosen) => void navigate({ to: '/customers', search: chosen === 'pending' ? {} : { state: chosen }, replace: true })}
        />
      </Toolbar>
      <Section title={state === 'pending' ? 'Waiting for a review, the oldest first' : 'Profiles, the oldest first'} flush>
        <DataTable
          label="Customers"
          columns={columns}
          rows={data.pages.flatMap(({ rows }) => rows)}
          rowKey={({ id }) => id}
          onOpen={({ id }) => void navigate({ to: '/customers/$id', params: { id } })}
          {...morePartsOf(list)}
          empty={
            <EmptyState title={state === 'pending' ? 'Nobody waits for a review.' : 'Nobody is in this state.'}>
              A profile goes into review when its last missing part is submitted.
            </EmptyState>
          }
        />
      </Section>
    </Page>
  );
}

/** The state of a profile: one in review waits for an operator. */
export function ProfileState({ state }: { state: string }) {
  return (
    <StateBadge state={state} {...(state === 'pending' && { tone: 'attention' })}>
      {state === 'pending' ? 'in review' : state}
    </StateBadge>
  );
}

function Search() {
  const navigate = useNavigate();
  const search = useMutation({
    mutationFn: searchCustomer,
    onSuccess: (id) => id !== null && void navigate({ to: '/customers/$id', params: { id } }),
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get('text');
    if (typeof text === 'string' && text.trim() !== '') search.mutate(text.trim());
  };
  return (
    <form className={styles.search} role="search" aria-label="Customers" onSubmit={submit}>
      <TextField name="text" label="Find a customer" placeholder="Profile, IBAN, address, e-mail" autoComplete="off" />
      <Button type="submit" disabled={search.isPending}>
        Find
      </Button>
      <span role="status">{search.data === null ? 'Nobody has that.' : search.error?.message}</span>
    </form>
  );
}

function Contests() {
  const { data } = useQuery(contestedQuery);
  if (data === undefined || data.contested.length === 0) return null;
  return (
    <Section title="Addresses for which several customers wait">
      <div className={styles.contests}>
        {data.contested.map((contest) => (
          <ContestedAddress key={`${contest.chain} ${contest.address}`} contest={contest} />
        ))}
      </div>
    </Section>
  );
}

function ContestedAddress({ contest: { address, chain, since, profiles } }: { contest: Contest }) {
  return (
    <div>
      <p>
        <Address value={address} chain={chain} full /> on {chain}, since <Time at={since} />. The signed sentence names none of them: ask
        each for a linking message before you decide.
      </p>
      <ul className={styles.profiles}>
        {profiles.map(({ id, name }) => (
          <li key={id} className={styles.profile}>
            <Link to="/customers/$id" params={{ id }}>
              {name ?? id}
            </Link>
            <ActionButton
              action="customers.decide-address"
              label="It is theirs"
              title={`Decide for ${name ?? id}`}
              lead="The requests of all others for the address are turned down."
              input={{ address, chain, profile: id }}
              reason={false}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}
