import { useEffect, useState } from 'react';
import { useSession } from '../api/session-context.ts';
import { Icon } from './icon.tsx';
import styles from './hash.module.css';

/** What an explorer shows under a value. */
type ExplorerPage = 'tx' | 'address' | 'block' | 'token';

const headLength = 6;
const tailLength = 4;
const copiedShownMs = 1500;

/**
 * A long identifier, such as a transaction hash: shortened, copied by a click, with a link to the network's explorer if it has one.
 * `full` shows all of it, where it must be compared or signed.
 */
export function Hash({
  value,
  chain,
  page = 'tx',
  full = false,
}: {
  value: string;
  chain?: string | undefined;
  page?: ExplorerPage;
  full?: boolean;
}) {
  const { explorers } = useSession();
  const explorer = chain === undefined ? undefined : explorers[chain];
  return (
    <span className={styles.hash}>
      <code className={full ? styles.full : styles.short} title={value}>
        {full ? value : shorten(value)}
      </code>
      <CopyButton value={value} />
      {explorer !== undefined && (
        <a
          className={styles.tool}
          href={`${explorer}/${page}/${value}`}
          target="_blank"
          rel="noopener noreferrer"
          title="Open in the explorer"
          aria-label={`Open ${shorten(value)} in the explorer of ${chain}`}
        >
          <Icon name="external" size={14} />
        </a>
      )}
    </span>
  );
}

/** An address of an account or contract. */
export function Address({ value, chain, full = false }: { value: string; chain?: string | undefined; full?: boolean }) {
  return <Hash value={value} chain={chain} page="address" full={full} />;
}

/** A value of ours that is copied by a click, such as the id of an order or an IBAN; shown in full. */
export function Copyable({ value, shown = value }: { value: string; shown?: string }) {
  return (
    <span className={styles.hash}>
      <code className={styles.full}>{shown}</code>
      <CopyButton value={value} />
    </span>
  );
}

/** An IBAN in groups of four, as people read it out and compare it; a click copies it without spaces. */
export function Iban({ value }: { value: string }) {
  return <Copyable value={value} shown={groupIban(value)} />;
}

/** An IBAN in groups of four; any other text as it is. */
export function groupIban(value: string): string {
  return /^[A-Z]{2}\d{2}[A-Z0-9]{8,30}$/.test(value) ? value.replaceAll(/(.{4})(?=.)/g, '$1 ') : value;
}

/** The first and the last characters of a long value. */
export function shorten(value: string): string {
  if (value.length <= headLength + tailLength + 2) return value;
  return `${value.slice(0, headLength)}…${value.slice(-tailLength)}`;
}

function CopyButton({ value }: { value: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), copiedShownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    await navigator.clipboard.writeText(value);
    setCopied(true);
  };
  return (
    <button
      type="button"
      className={styles.tool}
      title={copied ? 'Copied' : 'Copy'}
      aria-label={`Copy ${shorten(value)}`}
      onClick={() => void copy()}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      <span role="status" className="visually-hidden">
        {copied && 'Copied'}
      </span>
    </button>
  );
}
