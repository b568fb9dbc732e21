import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import type { InferResponseType } from 'hono/client';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Page, Toolbar } from '../design/page.tsx';
import { Segmented } from '../design/segmented.tsx';
import { StateBadge } from '../design/state-badge.tsx';

type Setting = InferResponseType<typeof api.settings.$get>['settings'][number];

const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: async ({ signal }) => (await api.settings.$get({}, { init: { signal } })).json(),
});

const columns: readonly Column<Setting>[] = [
  { id: 'variable', header: 'Variable', cell: ({ variable }) => <code>{variable}</code>, width: 'minmax(14rem, 2fr)' },
  { id: 'value', header: 'Value', cell: (setting) => <Value setting={setting} />, width: 'minmax(10rem, 2fr)' },
  { id: 'meaning', header: 'Meaning', cell: ({ meaning }) => meaning, width: 'minmax(14rem, 4fr)' },
];

const filters = [
  { value: 'set', label: 'Set' },
  { value: 'all', label: 'All' },
] as const;

/** What is set for this process, secrets only as being set. */
export function SettingsPage() {
  const { data } = useSuspenseQuery(settingsQuery);
  const [filter, setFilter] = useState<'set' | 'all'>('set');
  return (
    <Page title="Settings" lead={`What the console's process was started with, in the environment ${data.environment}.`}>
      <Toolbar>
        <Segmented label="Which settings" options={filters} value={filter} onChange={setFilter} />
      </Toolbar>
      <DataTable
        label="Settings"
        columns={columns}
        rows={data.settings.filter(({ isSet }) => isSet || filter === 'all')}
        rowKey={({ variable }) => variable}
        empty={<EmptyState title="Nothing is set: every setting has its default." />}
      />
    </Page>
  );
}

function Value({ setting: { isSet, value, isSecret } }: { setting: Setting }) {
  if (!isSet) return <StateBadge state="default" tone="neutral" />;
  if (value !== undefined) return <code>{value}</code>;
  return (
    <StateBadge state="set" tone="neutral">
      {isSecret ? 'set, secret' : 'set, not shown'}
    </StateBadge>
  );
}
