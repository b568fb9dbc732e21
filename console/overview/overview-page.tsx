import { useSuspenseQuery } from '@tanstack/react-query';
import { Columns, Page } from '../design/page.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { Components } from './components.tsx';
import { History } from './history.tsx';
import { reserveQuery, statusQuery } from './queries.ts';
import { ReserveEquations } from './reserve-equations.tsx';
import { Signers } from './signers.tsx';
import { Waiting } from './waiting.tsx';

/** What needs a person, first; then the reserve, what happens, and what it happens with. */
export function OverviewPage() {
  const { data: status } = useSuspenseQuery(statusQuery);
  const { data: reserve } = useSuspenseQuery(reserveQuery);
  return (
    <Page title="Overview">
      <Attention status={status} />
      <Activity status={status} />
      <ReserveEquations {...reserve} />
      {reserve.reserves.length > 0 && <History currencies={reserve.reserves.map(({ currency }) => currency)} />}
      <Columns>
        <Waiting status={status} />
        <Components status={status} />
      </Columns>
      <Signers />
    </Page>
  );
}
