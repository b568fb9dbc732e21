import { useSuspenseQuery } from '@tanstack/react-query';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Address } from '../design/hash.tsx';
import { isPracticallyUnlimited } from '../networks/mint-limits.tsx';
import { groupDigits } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { type SignerReserve, signersQuery } from './queries.ts';

/** Below so many days an operator should see to it (docs/operations/runbooks/certificate_expiring.md). */
const fewDays = 7;

const columns: readonly Column<SignerReserve>[] = [
  { id: 'chain', header: 'Network', cell: ({ chain }) => chain, width: 'minmax(6rem, 1fr)' },
  { id: 'signer', header: 'Signer', cell: ({ signer, chain }) => <Address value={signer} chain={chain} />, width: 'minmax(11rem, 2fr)' },
  { id: 'resource', header: 'Resource', cell: ({ resource, symbol }) => resourceOf(resource, symbol), width: 'minmax(8rem, 1fr)' },
  {
    id: 'left',
    header: 'Left',
    cell: ({ left, symbol }) => <Left left={left} symbol={symbol} />,
    align: 'end',
    width: 'minmax(9rem, 1fr)',
  },
  { id: 'perDay', header: 'A day uses', cell: ({ perDay }) => shortDecimal(perDay), align: 'end', width: 'minmax(7rem, 1fr)' },
  { id: 'days', header: 'Lasts', cell: ({ days }) => <Lasts days={days} />, align: 'end', width: '8rem' },
];

/** What the signers have left of their gas money and their mint allowances. */
export function Signers() {
  const { data } = useSuspenseQuery(signersQuery);
  return (
    <Section title="Gas money and allowances" flush>
      <DataTable
        label="Gas money and allowances"
        columns={columns}
        rows={data.signers}
        rowKey={({ chain, signer, resource }) => `${chain} ${signer} ${resource}`}
        empty={<EmptyState title="No signer has been looked at yet.">Workers look every few minutes.</EmptyState>}
      />
    </Section>
  );
}

/** What is left; in words where that is more than there will ever be. */
function Left({ left, symbol }: Pick<SignerReserve, 'left' | 'symbol'>) {
  if (isPracticallyUnlimited(left)) return <span title={left}>practically unlimited {symbol.toUpperCase()}</span>;
  return `${shortDecimal(left)} ${symbol.toUpperCase()}`;
}

function Lasts({ days }: { days: number | null }) {
  if (days === null) return '–';
  if (days >= fewDays) return `${groupDigits(String(days))} days`;
  return (
    <StateBadge state="low" tone="attention">
      {days === 1 ? '1 day' : `${days} days`}
    </StateBadge>
  );
}

function resourceOf(resource: string, symbol: string): string {
  return resource === 'gas' ? `gas money, ${symbol}` : `mint allowance, ${symbol.toUpperCase()}`;
}

const shownDecimals = 6;

/** A decimal with six places; a value that is less than that is not shown as nothing. */
function shortDecimal(value: string): string {
  const [whole = '0', fraction = ''] = value.split('.');
  const short = fraction.slice(0, shownDecimals).replace(/0+$/, '');
  if (short === '' && whole === '0' && /[1-9]/.test(fraction)) return '< 0.000001';
  return groupDigits(short === '' ? whole : `${whole}.${short}`);
}
