import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';

/** A command that the console has a page for, and the link to it. */
const pages: readonly { command: RegExp; link: (words: readonly string[]) => ReactNode }[] = [
  { command: /^mintrail orders give-back /, link: ([, , , id = '']) => <OrderLink id={id}>Give back on its page</OrderLink> },
  { command: /^mintrail orders show /, link: ([, , , id = '']) => <OrderLink id={id}>its page</OrderLink> },
  { command: /^mintrail orders release /, link: () => <Link to="/networks">Networks › Send what waits</Link> },
  { command: /^mintrail bank unmatched/, link: () => <Link to="/bank">Bank › Unmatched</Link> },
  { command: /^mintrail bank debits/, link: () => <Link to="/bank/debits">Bank › Debits</Link> },
  { command: /^mintrail bank explain/, link: () => <Link to="/bank/debits">Explain there</Link> },
  { command: /^mintrail bank claims/, link: () => <Link to="/bank/claims">Bank › Claims</Link> },
  { command: /^mintrail bank recalls/, link: () => <Link to="/bank/recalls">Bank › Recalls</Link> },
  { command: /^mintrail bank import/, link: () => <Link to="/bank/files">Bank › Files</Link> },
  { command: /^mintrail bank accept-gap/, link: () => <Link to="/bank/statements">Bank › Statements</Link> },
  { command: /^mintrail payments list/, link: () => <Link to="/bank/payments">Bank › Payments</Link> },
  { command: /^mintrail profile /, link: () => <Link to="/customers">Customers</Link> },
  { command: /^mintrail address decide/, link: () => <Link to="/customers">Customers</Link> },
  { command: /^mintrail webhook /, link: () => <Link to="/webhooks">Webhooks</Link> },
  { command: /^mintrail token allowance/, link: () => <Link to="/networks">Networks › Prepare a change</Link> },
  {
    command: /^mintrail reconcile( acknowledge|$)/,
    link: ([, , verb]) => <Link to="/">{verb === undefined ? 'Overview › Reserve' : 'Overview › Reserve › Acknowledge'}</Link>,
  },
];

/** What is wrong and the remedy: a command that the console can do instead is a link to its page, any other is set as code. */
export function ProblemText({ text }: { text: string }) {
  const pieces = text.split('`');
  return pieces.map((piece, index) => {
    if (index % 2 === 1) return <Fragment key={index}>{linkOf(piece) ?? <code>{piece}</code>}</Fragment>;
    const next = pieces[index + 1];
    return next !== undefined && linkOf(next) ? piece.replace(/\brun $/, 'use ') : piece;
  });
}

function linkOf(command: string): ReactNode {
  return pages.find((page) => page.command.test(command))?.link(command.split(' '));
}

function OrderLink({ id, children }: { id: string; children: ReactNode }) {
  return (
    <Link to="/orders/$id" params={{ id }}>
      {children}
    </Link>
  );
}
