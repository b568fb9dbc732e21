import { infiniteQueryOptions, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { InferResponseType } from 'hono/client';
import { type FormEvent, useState } from 'react';
import { api } from '../api/client.ts';
import { morePartsOf } from '../api/more-parts.ts';
import { Button } from '../design/button.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { Dialog } from '../design/dialog.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FieldList, FieldRow } from '../design/field-list.tsx';
import { TextField } from '../design/form-field.tsx';
import { Copyable } from '../design/hash.tsx';
import { Page } from '../design/page.tsx';
import textStyles from '../design/text.module.css';
import { Time } from '../design/time.tsx';
import styles from './audit-page.module.css';
import type { AuditSearch } from './audit-search.ts';

type Entry = InferResponseType<typeof api.audit.$get>['rows'][number];

const auditQuery = (search: AuditSearch) =>
  infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: async ({ pageParam, signal }) =>
      (await api.audit.$get({ query: { ...search, ...(pageParam !== undefined && { after: pageParam }) } }, { init: { signal } })).json(),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    meta: { topics: ['orders', 'bank', 'customers', 'applications', 'operators', 'approvals'] },
  });

const columns: readonly Column<Entry>[] = [
  { id: 'at', header: 'Time', cell: ({ at }) => <Time at={at} show="absolute" />, width: '15rem' },
  { id: 'actor', header: 'Who', cell: (entry) => <Actor entry={entry} />, width: 'minmax(8rem, 2fr)' },
  { id: 'action', header: 'Did', cell: ({ action }) => <code>{action}</code>, width: '10rem' },
  { id: 'subject', header: 'To', cell: (entry) => <Subject entry={entry} />, width: 'minmax(12rem, 3fr)' },
];

/** Who did what, the latest first. */
export function AuditPage() {
  const search = useSearch({ from: '/app/audit' });
  const navigate = useNavigate();
  const [opened, setOpened] = useState<Entry>();
  const list = useSuspenseInfiniteQuery(auditQuery(search));
  const { data } = list;
  const filter = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = Object.fromEntries(new FormData(event.currentTarget)) as AuditSearch;
    void navigate({ to: '/audit', search: form });
  };
  return (
    <Page title="Audit" lead="Every change by a person, an application or an operator.">
      <form className={styles.filter} onSubmit={filter} key={JSON.stringify(search)}>
        <TextField name="actor" label="Who" placeholder="operator's name, or id" defaultValue={search.actor} />
        <TextField name="action" label="Did" placeholder="such as order or order.place" defaultValue={search.action} />
        <TextField name="subject" label="To" placeholder="id, address, reference" defaultValue={search.subject} />
        <Button type="submit">Filter</Button>
      </form>
      <DataTable
        label="Audit log"
        columns={columns}
        rows={data.pages.flatMap(({ rows }) => rows)}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        {...morePartsOf(list)}
        empty={<EmptyState title="No entry is like that." />}
      />
      {opened && <EntryDialog entry={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function EntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose} title={entry.action}>
      <FieldList>
        <FieldRow name="Time">
          <Time at={entry.at} show="both" />
        </FieldRow>
        <FieldRow name="Who">
          {kindAndName(entry.actorKind, entry.actorName)} {entry.actor && <Copyable value={entry.actor} />}
        </FieldRow>
        <FieldRow name="To">
          {kindAndName(entry.subjectKind, entry.subjectName)} <Copyable value={entry.subject} />
        </FieldRow>
        <FieldRow name="Correlation id">{entry.correlationId && <Copyable value={entry.correlationId} />}</FieldRow>
        <FieldRow name="Detail">
          <pre className={styles.detail}>{JSON.stringify(entry.detail, null, 2)}</pre>
        </FieldRow>
      </FieldList>
    </Dialog>
  );
}

function Actor({ entry: { actorKind, actor, actorName } }: { entry: Entry }) {
  return <Named kind={actorKind} id={actor} name={actorName} />;
}

function Subject({ entry: { subjectKind, subject, subjectName } }: { entry: Entry }) {
  return <Named kind={subjectKind} id={subject} name={subjectName} />;
}

/** Who or what, with its id below where it has a name of its own. */
function Named({ kind, id, name }: { kind: string; id: string; name: string | null }) {
  if (name === null) return `${kind} ${id}`.trim();
  return (
    <>
      {kindAndName(kind, name)}
      <span className={textStyles.note}>{id}</span>
    </>
  );
}

function kindAndName(kind: string, name: string | null): string {
  return name === null ? kind : `${kind} ${name}`;
}
