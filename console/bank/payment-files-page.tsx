import { useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { hasRole, useSession } from '../api/session-context.ts';
import { morePartsOf } from '../api/more-parts.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Money } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { Time } from '../design/time.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type PaymentFile, paymentFilesQuery } from './queries.ts';

const columns: readonly Column<PaymentFile>[] = [
  { id: 'created', header: 'Created', cell: ({ createdAt }) => <Time at={createdAt} />, width: '6rem' },
  { id: 'name', header: 'File', cell: ({ name }) => name, width: 'minmax(9rem, 2fr)' },
  {
    id: 'written',
    header: 'Handed over',
    cell: ({ writtenAt }) => (writtenAt === null ? 'not yet' : <Time at={writtenAt} />),
    width: '6rem',
  },
  { id: 'payments', header: 'Payments', cell: ({ payments }) => payments, align: 'end', width: '5rem' },
  { id: 'accepted', header: 'Accepted', cell: ({ accepted }) => accepted, align: 'end', width: '5.5rem' },
  { id: 'refused', header: 'Refused', cell: ({ refused }) => refused, align: 'end', width: '5.5rem' },
  { id: 'sum', header: 'Sum', cell: ({ sum, currency }) => <Money amount={sum} currency={currency} />, align: 'end', width: '8rem' },
  { id: 'download', header: 'Content', cell: (file) => <Download file={file} />, align: 'end', width: '5.5rem' },
];

/** The pain.001 files, the latest first. */
export function PaymentFilesPage() {
  const list = useSuspenseInfiniteQuery(paymentFilesQuery);
  const { data } = list;
  return (
    <BankFrame
      title="Payment files"
      lead="The worker hands each file to the bank once. Download one to look at it: handing it to the bank by hand as well could pay twice."
    >
      <Section title="pain.001 files" flush>
        <DataTable
          label="Payment files"
          columns={columns}
          rows={data.pages.flatMap(({ rows }) => rows)}
          rowKey={({ messageId }) => messageId}
          {...morePartsOf(list)}
          empty={<EmptyState title="No payment files.">They are made when payments go to a bank that takes files.</EmptyState>}
        />
      </Section>
    </BankFrame>
  );
}

function Download({ file: { messageId, name } }: { file: PaymentFile }) {
  const session = useSession();
  if (!hasRole(session, ['treasurer'])) return '–';
  return (
    <a href={`/api/bank/payment-files/${messageId}/content`} download aria-label={`Download ${name}`}>
      Download
    </a>
  );
}
