import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Banner } from '../design/banner.tsx';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FigureTile, FigureTiles } from '../design/figure-tile.tsx';
import { TextField } from '../design/form-field.tsx';
import { Money } from '../design/money.tsx';
import { Section, Toolbar } from '../design/page.tsx';
import { BankFrame } from './bank-frame.tsx';
import { type Closing, closingQuery } from './queries.ts';

const route = getRouteApi('/app/bank/closing');

type AccountDay = Closing['accounts'][number];

const columns: readonly Column<AccountDay>[] = [
  { id: 'account', header: 'Account', cell: ({ account }) => account, width: 'minmax(12rem, 2fr)' },
  { id: 'currency', header: 'Currency', cell: ({ currency }) => currency.toUpperCase(), width: '5rem' },
  { id: 'opening', header: 'Opening', cell: ({ opening }) => <Money amount={opening} />, align: 'end', width: 'minmax(7rem, 1fr)' },
  { id: 'debited', header: 'Debited', cell: ({ debited }) => <Money amount={debited} />, align: 'end', width: 'minmax(7rem, 1fr)' },
  { id: 'credited', header: 'Credited', cell: ({ credited }) => <Money amount={credited} />, align: 'end', width: 'minmax(7rem, 1fr)' },
  { id: 'closing', header: 'Closing', cell: ({ closing }) => <Money amount={closing} />, align: 'end', width: 'minmax(7rem, 1fr)' },
];

/** The closing of a day: what must be safeguarded, what safeguards it, and every account of the book. */
export function ClosingPage() {
  const { day = new Date().toISOString().slice(0, 10) } = route.useSearch();
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(closingQuery(day));
  return (
    <BankFrame title="Closing of a day" lead={data.isOver ? undefined : 'This day, of UTC, is not over: these are the figures so far.'}>
      <Toolbar>
        <TextField
          name="day"
          label="Day (UTC)"
          type="date"
          value={day}
          onChange={({ currentTarget: { value } }) =>
            value !== '' && void navigate({ to: '/bank/closing', search: { day: value }, replace: true })
          }
        />
        <a href={`/api/bank/closing/${day}/csv`} download>
          Download as CSV
        </a>
      </Toolbar>
      {data.safeguarding.map((row) => (
        <Safeguarding key={row.currency} row={row} />
      ))}
      <Section title="Accounts" flush>
        <DataTable
          label="Accounts"
          columns={columns}
          rows={data.accounts}
          rowKey={({ account, currency }) => `${account} ${currency}`}
          empty={<EmptyState title="The book has no entries up to this day." />}
        />
      </Section>
    </BankFrame>
  );
}

function Safeguarding({ row }: { row: Closing['safeguarding'][number] }) {
  const { currency, tokens, otherLiabilities, bank, differences, claims, surplus, isMissing, trialBalance, isBalanced } = row;
  return (
    <Section title={`Safeguarding, ${currency.toUpperCase()}`}>
      <FigureTiles perRow={3}>
        <FigureTile name="Tokens">
          <Money amount={tokens} />
        </FigureTile>
        <FigureTile name="Other liabilities">
          <Money amount={otherLiabilities} />
        </FigureTile>
        <FigureTile name="Bank">
          <Money amount={bank} />
        </FigureTile>
        <FigureTile name="Surplus" note={isMissing ? 'Money of customers is missing.' : undefined}>
          <Money amount={surplus} signed />
        </FigureTile>
        <FigureTile name="Differences">
          <Money amount={differences} signed />
        </FigureTile>
        <FigureTile name="Claims">
          <Money amount={claims} />
        </FigureTile>
      </FigureTiles>
      {!isBalanced && (
        <Banner tone="negative" title={`The trial balance is not zero, but ${trialBalance} ${currency.toUpperCase()}.`}>
          Overview names the remedy.
        </Banner>
      )}
    </Section>
  );
}
