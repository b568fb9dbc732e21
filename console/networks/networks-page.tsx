import { useSuspenseQuery } from '@tanstack/react-query';
import { EmptyState } from '../design/empty-state.tsx';
import { Page } from '../design/page.tsx';
import { NetworkSection } from './network-section.tsx';
import { PrepareButton } from './prepare-button.tsx';
import { networksQuery } from './queries.ts';
import { SafeTransactions } from './safe-transactions.tsx';

/** The networks, their signers, and what their Safes are to do. */
export function NetworksPage() {
  const { data } = useSuspenseQuery(networksQuery);
  return (
    <Page title="Networks" actions={data.networks.length > 0 && <PrepareButton networks={data.networks} roles={data.roles} />}>
      {data.networks.length === 0 && (
        <EmptyState title="No network is configured.">`mintrail chain add` prints the settings for one.</EmptyState>
      )}
      <SafeTransactions />
      {data.networks.map((network) => (
        <NetworkSection key={network.chain} network={network} />
      ))}
    </Page>
  );
}
