import { Link } from '@tanstack/react-router';
import { Banner } from '../design/banner.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import styles from './attention.module.css';
import { pageOfProblem } from './problem-pages.ts';
import { ProblemText } from './problem-text.tsx';
import type { Status } from './queries.ts';

/** What needs a person: problems, then warnings, each with its remedy and the page where it is acted on. */
export function Attention({ status: { problems, warnings } }: { status: Status }) {
  if (problems.length + warnings.length === 0) return <Banner tone="positive" title="All is well." />;
  return (
    <Section title={titleOf(problems.length, warnings.length)} flush>
      <ul className={styles.list}>
        {problems.map((problem) => (
          <Entry key={keyOf(problem)} problem={problem} isWarning={false} />
        ))}
        {warnings.map((warning) => (
          <Entry key={keyOf(warning)} problem={warning} isWarning />
        ))}
      </ul>
    </Section>
  );
}

function Entry({ problem, isWarning }: { problem: Status['problems'][number]; isWarning: boolean }) {
  const { kind, chain, text, since } = problem;
  const page = pageOfProblem(problem);
  return (
    <li className={styles.entry}>
      <span className={styles.kind}>
        <StateBadge state={isWarning ? 'warning' : 'problem'} tone={isWarning ? 'attention' : 'negative'} />
        <strong>{nameOf(kind)}</strong>
        {chain !== '' && <span className={styles.chain}>{chain}</span>}
        <code className={styles.code}>{kind}</code>
      </span>
      <p className={styles.text}>
        <ProblemText text={text} />
      </p>
      <span className={styles.since}>
        <Time at={since} />
        {page && <Link to={page.to}>{page.name}</Link>}
      </span>
    </li>
  );
}

/** The kind in words: `statement_missing` is "Statement missing". */
function nameOf(kind: string): string {
  const words = kind.replaceAll('_', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

function titleOf(problems: number, warnings: number): string {
  const parts = [count(problems, 'problem'), count(warnings, 'warning')].filter((part) => part !== '');
  return `Needs you: ${parts.join(', ')}`;
}

function count(number: number, name: string): string {
  if (number === 0) return '';
  return number === 1 ? `1 ${name}` : `${number} ${name}s`;
}

function keyOf({ kind, chain, subject }: Status['problems'][number]): string {
  return `${kind} ${chain} ${subject}`;
}
