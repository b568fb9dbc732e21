import { useSuspenseInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { morePartsOf } from '../api/more-parts.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { groupDigits } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type BankFile, filesQuery, type RefusedFile, refusedQuery } from './queries.ts';
import { UploadButton } from './upload-button.tsx';

const columns: readonly Column<BankFile>[] = [
  { id: 'imported', header: 'Imported', cell: ({ importedAt }) => <Time at={importedAt} />, width: '7rem' },
  { id: 'name', header: 'File', cell: ({ name }) => name, width: 'minmax(10rem, 1.5fr)' },
  { id: 'message', header: 'Message', cell: ({ message }) => message, width: '6rem' },
  { id: 'effect', header: 'What it did', cell: (file) => whatItDid(file), width: 'minmax(14rem, 2fr)' },
  {
    id: 'alerts',
    header: 'To be looked at',
    cell: ({ alerts }) => (alerts === 0 ? '–' : <StateBadge state="alerts" tone="attention">{`${alerts} to look at`}</StateBadge>),
    width: '9rem',
  },
];

const refusedColumns: readonly Column<RefusedFile>[] = [
  { id: 'received', header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} />, width: '7rem' },
  { id: 'name', header: 'File', cell: ({ name }) => name, width: 'minmax(10rem, 1fr)' },
  {
    id: 'reason',
    header: 'Why it was refused',
    cell: ({ error }) => (error === null ? 'Its report is missing.' : `${error.message} (${error.code})`),
    width: 'minmax(14rem, 3fr)',
  },
];

/** The bank's files: what the inbox refused, then what was imported, the latest first. */
export function FilesPage() {
  const list = useSuspenseInfiniteQuery(filesQuery);
  const { data } = list;
  const { data: refused } = useSuspenseQuery(refusedQuery);
  const navigate = useNavigate();
  return (
    <BankFrame title="Files of the bank" actions={<UploadButton />}>
      {refused.files.length > 0 && (
        <Section title="Refused by the inbox, and not applied" flush>
          <DataTable label="Refused files" columns={refusedColumns} rows={refused.files} rowKey={({ name }) => name} empty={null} />
        </Section>
      )}
      <Section title="Imported files" flush>
        <DataTable
          label="Imported files"
          columns={columns}
          rows={data.pages.flatMap(({ files }) => files)}
          rowKey={({ hash }) => hash}
          onOpen={({ hash }) => void navigate({ to: '/bank/files/$hash', params: { hash } })}
          {...morePartsOf(list)}
          empty={<EmptyState title="No files yet.">Files of the bank&#39;s inbox and uploaded ones appear here.</EmptyState>}
        />
      </Section>
    </BankFrame>
  );
}

function whatItDid({ counts, sums, settled, unexplained }: BankFile): string {
  const facts = Object.entries(counts)
    .filter(([name, count]) => count > 0 && name !== 'entries' && name !== 'alerts')
    .map(([name, count]) => `${count} ${name}${sumsText(sums?.[name as keyof typeof sums])}`);
  if (settled > 0) facts.push(`${settled} of our payments settled`);
  if (unexplained > 0) facts.push(`${unexplained} ${unexplained === 1 ? 'debit' : 'debits'} to be explained`);
  return facts.length === 0 ? 'nothing' : facts.join(', ');
}

function sumsText(sums: Record<string, string> | undefined): string {
  const texts = Object.entries(sums ?? {}).map(([currency, sum]) => `${groupDigits(sum)} ${currency.toUpperCase()}`);
  return texts.length === 0 ? '' : ` (${texts.join(', ')})`;
}
