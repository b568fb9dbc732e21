import { useQuery } from '@tanstack/react-query';
import { Banner } from '../design/banner.tsx';
import { formatCount } from '../design/count.ts';
import { type Column, DataTable } from '../design/data-table.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { FigureTile, FigureTiles } from '../design/figure-tile.tsx';
import { Address, Hash } from '../design/hash.tsx';
import { groupDigits } from '../design/money.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import textStyles from '../design/text.module.css';
import { toneOfProblem } from '../overview/attention.tsx';
import { ProblemText } from '../overview/problem-text.tsx';
import { MintLimits } from './mint-limits.tsx';
import styles from './networks.module.css';
import { type Network, type NodeFacts, nodesQuery } from './queries.ts';
import { ReleaseButton } from './release-button.tsx';

type Endpoint = NodeFacts['endpoints'][number];
type Lane = Network['lanes'][number];
type InFlight = Lane['inFlight'][number];

/** One network: whether it works, its endpoints, its signers, and what is on its way. */
export function NetworkSection({ network }: { network: Network }) {
  const { data: nodes, error } = useQuery(nodesQuery(network.chain));
  const inFlight = network.lanes.flatMap(({ signer, inFlight: ofLane }) => ofLane.map((transaction) => ({ ...transaction, signer })));
  return (
    <Section
      title={network.name}
      actions={
        <>
          <NetworkState network={network} />
          <ReleaseButton network={network} />
        </>
      }
      flush
    >
      <div className={styles.network}>
        {network.problems.map((problem) => (
          <Banner key={`${problem.kind} ${problem.subject}`} tone={toneOfProblem(problem)} title={problem.title}>
            <ProblemText text={problem.text} />{' '}
            <span className={textStyles.soft}>
              Since <Time at={problem.since} show="both" />.
            </span>
          </Banner>
        ))}
        {nodes?.agreement.state === 'disagree' && (
          <Banner tone="negative" title={`The endpoints have different blocks at ${nodes.agreement.block}`}>
            {nodes.agreement.detail}
          </Banner>
        )}
        {error && !nodes && <Banner tone="attention" title="What the nodes say cannot be shown now." />}
        <Figures network={network} nodes={nodes} />
        <Part title={endpointsTitle(nodes, network)}>
          <DataTable
            label={`Endpoints of ${network.name}`}
            columns={endpointColumns}
            rows={nodes?.endpoints ?? []}
            rowKey={({ name }) => name}
            isLoading={!nodes && !error}
            empty={<EmptyState title="No endpoint is configured, or none was asked yet." />}
          />
        </Part>
        <Part title="Lanes and signers">
          <DataTable
            label={`Lanes of ${network.name}`}
            columns={laneColumns(network, nodes)}
            rows={network.lanes}
            rowKey={({ signer }) => signer}
            empty={<EmptyState title="No lane is known.">The network’s worker reports them: is it running?</EmptyState>}
          />
        </Part>
        {inFlight.length > 0 && (
          <Part title="In flight">
            <DataTable
              label={`Transactions in flight on ${network.name}`}
              columns={inFlightColumns(network)}
              rows={inFlight}
              rowKey={({ hash }) => hash}
              empty={<EmptyState title="Nothing is in flight." />}
            />
          </Part>
        )}
      </div>
    </Section>
  );
}

function Part({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className={styles.part}>
      <h3 className={styles.partTitle}>{title}</h3>
      <div className={styles.framed}>{children}</div>
    </div>
  );
}

function NetworkState({ network: { worker, indexer, isTestnet } }: { network: Network }) {
  return (
    <>
      {isTestnet && <span className={textStyles.soft}>test network</span>}
      <StateBadge state={worker.state} tone={worker.state === 'running' ? 'positive' : 'negative'}>
        worker {worker.state}
      </StateBadge>
      <StateBadge
        state={indexer.state}
        tone={indexer.state === 'running' ? 'positive' : indexer.state === 'reading' ? 'progress' : 'negative'}
      >
        indexer {indexer.state}
      </StateBadge>
    </>
  );
}

function Figures({ network, nodes }: { network: Network; nodes: NodeFacts | undefined }) {
  const { worker, indexer, confirmations, feeCeilingGwei, openLegs, blockTimeSeconds } = network;
  const open = openLegs.reduce((sum, { count }) => sum + count, 0);
  return (
    <FigureTiles>
      <FigureTile name="Head" note={`a block every ${blockTimeSeconds} s`}>
        {worker.head === null ? 'unknown' : groupDigits(worker.head)}
      </FigureTile>
      <FigureTile name="Confirmations" note="before an outcome counts">
        {confirmations}
      </FigureTile>
      <FigureTile name="Indexer" note={indexer.block === null ? 'has read nothing' : `at block ${groupDigits(indexer.block)}`}>
        {indexer.behind === null ? 'unknown' : indexer.behind === '0' ? 'at the head' : `${groupDigits(indexer.behind)} behind`}
      </FigureTile>
      <FigureTile name="Fee for a gas" note={`ceiling ${feeCeilingGwei} gwei`}>
        {nodes === undefined || 'error' in nodes.fees ? 'unknown' : `${nodes.fees.maxFeeGwei} gwei`}
      </FigureTile>
      <FigureTile
        name="Open legs"
        note={
          openLegs.map(({ kind, state, count, isMore }) => `${formatCount(count)}${isMore ? '+' : ''} ${kind} ${state}`).join(', ') ||
          'nothing waits'
        }
      >
        {`${formatCount(open)}${openLegs.some(({ isMore }) => isMore) ? '+' : ''}`}
      </FigureTile>
    </FigureTiles>
  );
}

function endpointsTitle(nodes: NodeFacts | undefined, { endpoints }: Network): string {
  if (!nodes) return `Endpoints · ${endpoints}`;
  const { agreement, quorum } = nodes;
  const needed = quorum > 1 ? ` · ${quorum} must agree` : '';
  if (agreement.state === 'agree') return `Endpoints · they agree at block ${groupDigits(agreement.block ?? '')}${needed}`;
  if (agreement.state === 'disagree') return `Endpoints · they do not agree${needed}`;
  return `Endpoints${needed}`;
}

const endpointColumns: Column<Endpoint>[] = [
  { id: 'host', header: 'Host', cell: ({ name }) => name, width: 'minmax(10rem, 2fr)' },
  {
    id: 'state',
    header: 'State',
    cell: ({ error }) => (
      <>
        <StateBadge state={error === null ? 'ok' : 'failed'}>{error === null ? 'answers' : 'no good answer'}</StateBadge>
        {error !== null && <span className={textStyles.note}>{error}</span>}
      </>
    ),
    width: 'minmax(8rem, 2fr)',
  },
  { id: 'head', header: 'Head', cell: ({ head }) => (head === null ? '' : groupDigits(head)), align: 'end', width: 'minmax(6rem, 1fr)' },
  { id: 'behind', header: 'Behind', cell: ({ behind }) => behind, align: 'end', width: '5rem' },
  { id: 'age', header: 'Newest block', cell: ({ headAt }) => headAt && <Time at={headAt} />, align: 'end', width: '8rem' },
  { id: 'latency', header: 'Latency', cell: ({ latencyMs }) => (latencyMs === null ? '' : `${latencyMs} ms`), align: 'end', width: '6rem' },
];

function laneColumns({ chain, problems }: Network, nodes: NodeFacts | undefined): Column<Lane>[] {
  const signerOf = ({ signer }: Lane) => nodes?.signers.find(({ address }) => address.toLowerCase() === signer.toLowerCase());
  return [
    {
      id: 'signer',
      header: 'Signer',
      cell: ({ signer }) => (signer.startsWith('0x') ? <Address value={signer} chain={chain} /> : signer),
      width: 'minmax(10rem, 1.5fr)',
    },
    {
      id: 'state',
      header: 'Lane',
      cell: (lane) => <LaneState lane={lane} isParked={isParked(lane, problems)} />,
      width: 'minmax(8rem, 1.5fr)',
    },
    {
      id: 'nonce',
      header: 'Next nonce',
      cell: (lane) => {
        const signer = signerOf(lane);
        if (!signer || 'error' in signer) return <span className={textStyles.soft}>unknown</span>;
        return signer.nextNonce;
      },
      align: 'end',
      width: '6rem',
    },
    { id: 'inFlight', header: 'In flight', cell: ({ inFlight }) => inFlight.length, align: 'end', width: '5rem' },
    {
      id: 'gas',
      header: 'Gas money',
      cell: (lane) => {
        const signer = signerOf(lane);
        if (!signer) return <span className={textStyles.soft}>unknown</span>;
        if ('error' in signer) return <span className={textStyles.soft}>{signer.error}</span>;
        return `${groupDigits(signer.gas)} ${signer.gasCurrency}`;
      },
      align: 'end',
      width: 'minmax(8rem, 1fr)',
    },
    {
      id: 'allowance',
      header: 'May issue now',
      cell: (lane) => {
        const signer = signerOf(lane);
        if (!signer || 'error' in signer) return <span className={textStyles.soft}>unknown</span>;
        return (
          <span className={styles.lines}>
            {signer.limits.map((limits) => (
              <MintLimits key={limits.currency} {...limits} />
            ))}
          </span>
        );
      },
      align: 'end',
      width: 'minmax(14rem, 2fr)',
    },
  ];
}

function isParked({ signer }: Lane, problems: Network['problems']): boolean {
  return problems.some(({ kind, subject }) => parkingKinds.has(kind) && subject.toLowerCase().startsWith(signer.toLowerCase()));
}

/** The alarms that stop a lane, or a part of it. */
const parkingKinds = new Set(['lane_parked', 'gas_money', 'fee_ceiling']);

function LaneState({ lane: { heldBy, outage }, isParked: parked }: { lane: Lane; isParked: boolean }) {
  if (outage) return <StateBadge state="failed">{outage}</StateBadge>;
  if (parked) return <StateBadge state="parked">parked</StateBadge>;
  if (heldBy === null) return <StateBadge state="waiting">held by nobody</StateBadge>;
  return <StateBadge state="active">held by {heldBy}</StateBadge>;
}

function inFlightColumns({ chain, feeCeilingGwei }: Network): Column<InFlight & { signer: string }>[] {
  return [
    { id: 'nonce', header: 'Nonce', cell: ({ nonce }) => nonce, align: 'end', width: '4rem' },
    { id: 'hash', header: 'Transaction', cell: ({ hash }) => <Hash value={hash} chain={chain} />, width: 'minmax(9rem, 1fr)' },
    { id: 'signer', header: 'Signer', cell: ({ signer }) => <Address value={signer} chain={chain} />, width: 'minmax(9rem, 1fr)' },
    {
      id: 'what',
      header: 'What',
      cell: ({ kind, currency, legs }) => (kind === 'cancel' ? 'cancellation' : `${kind} ${legs} × ${currency?.toUpperCase()}`),
      width: 'minmax(7rem, 1fr)',
    },
    { id: 'attempts', header: 'Attempts', cell: ({ attempts }) => attempts, align: 'end', width: '5rem' },
    {
      id: 'fee',
      header: 'Offers',
      cell: ({ maxFeeGwei }) => `${maxFeeGwei} of ${feeCeilingGwei} gwei`,
      align: 'end',
      width: 'minmax(8rem, 1fr)',
    },
    { id: 'since', header: 'Signed', cell: ({ createdAt }) => <Time at={createdAt} />, align: 'end', width: '7rem' },
  ];
}
