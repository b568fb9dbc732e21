import { Link } from '@tanstack/react-router';
import { Banner } from '../design/banner.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { Time } from '../design/time.tsx';
import { sections } from '../shell/sections.ts';
import styles from './attention.module.css';
import { ProblemText } from './problem-text.tsx';
import type { Status } from './queries.ts';

type Problem = Status['problems'][number];

/** What needs a person, what stops money first, each with its remedy and the page where it is acted on. */
export function Attention({ status: { ok, problems } }: { status: Status }) {
  return (
    <>
      {ok && (
        <Banner
          tone="positive"
          title={problems.length === 0 ? 'All is well.' : 'Nothing stops money, and nobody has waited for too long.'}
        />
      )}
      {problems.length > 0 && (
        <Section title={`${ok ? 'In time' : 'Needs you'}: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`} flush>
          <ul className={styles.list}>
            {problems.map((problem) => (
              <Entry key={`${problem.kind} ${problem.chain} ${problem.subject}`} problem={problem} />
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Entry({ problem: { kind, title, for: role, chain, severity, overdue, page, text, since } }: { problem: Problem }) {
  const section = sections.find(({ to }) => to === page);
  return (
    <li className={styles.entry}>
      <span className={styles.kind}>
        <StateBadge state={severity} tone={toneOfProblem({ overdue })} />
        <strong>{title}</strong>
        {chain !== '' && <span className={styles.chain}>{chain}</span>}
        <code className={styles.code}>{kind}</code>
      </span>
      <p className={styles.text}>
        <ProblemText text={text} />
      </p>
      <span className={styles.since}>
        <Time at={since} />
        <span>for the {role === 'machine' ? 'administrator of the machine' : role}</span>
        {section && section.to !== '/' && <Link to={section.to}>{section.name}</Link>}
      </span>
    </li>
  );
}

/** What stops money, or has waited too long, is red; the rest wants a look. */
export function toneOfProblem({ overdue }: Pick<Problem, 'overdue'>): 'negative' | 'attention' {
  return overdue ? 'negative' : 'attention';
}
