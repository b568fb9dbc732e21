import { useState } from 'react';
import { hasRole, useSession } from '../api/session-context.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { EmptyState } from '../design/empty-state.tsx';
import { Section } from '../design/page.tsx';
import { StateBadge } from '../design/state-badge.tsx';
import { nameOfField } from './claimed-facts.tsx';
import styles from './documents.module.css';
import type { Customer, Verification } from './queries.ts';

type Document = Verification['documents'][number];

/** The documents of each verification. One is fetched when a reviewer opens it, because the audit log says who looked at it. */
export function Documents({ customer: { id, verifications } }: { customer: Customer }) {
  const session = useSession();
  const mayLook = hasRole(session, ['reviewer']);
  const [opened, setOpened] = useState<Document>();
  return (
    <Section title="Proved: documents">
      <div className={styles.documents}>
        {!mayLook && <Banner tone="info" title="Documents are shown to reviewers and administrators." />}
        {mayLook && <p className={styles.note}>The audit log names you for each document that you open.</p>}
        <ul className={styles.verifications}>
          {verifications.map((verification) => (
            <li key={`${verification.kind} ${verification.personId}`} className={styles.verification}>
              <span className={styles.name}>{nameOfVerification(verification)}</span>
              <StateBadge state={verification.state} />
              <span className={styles.buttons}>
                {verification.documents.length === 0 && <span className={styles.note}>no document</span>}
                {verification.documents.map((document) =>
                  mayLook ? (
                    <DocumentButton
                      key={document.file}
                      profile={id}
                      document={document}
                      isOpen={opened?.file === document.file}
                      onOpen={() => setOpened(document)}
                    />
                  ) : (
                    <span key={document.file}>{nameOfDocument(document)}</span>
                  ),
                )}
              </span>
            </li>
          ))}
        </ul>
        {verifications.length === 0 && <EmptyState title="Nothing is to be proved." />}
        {opened && <Picture key={opened.file} profile={id} document={opened} />}
      </div>
    </Section>
  );
}

/** Images are shown here. A PDF is kept as a file: a browser shows none that has no rights. */
function DocumentButton({
  profile,
  document,
  isOpen,
  onOpen,
}: {
  profile: string;
  document: Document;
  isOpen: boolean;
  onOpen: () => void;
}) {
  const name = nameOfDocument(document);
  if (!isImage(document))
    return (
      <a href={addressOf(profile, document)} download>
        Download {name}
      </a>
    );
  return (
    <Button aria-pressed={isOpen} onClick={onOpen}>
      {name}
    </Button>
  );
}

function Picture({ profile, document }: { profile: string; document: Document }) {
  const [isBroken, setBroken] = useState(false);
  const name = nameOfDocument(document);
  if (isBroken)
    return (
      <Banner tone="negative" title="The document cannot be shown.">
        It is not what was uploaded, or the console has not the files of the API. Its log says which.
      </Banner>
    );
  return (
    <figure className={styles.picture}>
      <img className={styles.image} src={addressOf(profile, document)} alt={`Document: ${name}`} onError={() => setBroken(true)} />
      <figcaption className={styles.note}>{name}</figcaption>
    </figure>
  );
}

/** The name of a verification, with the person of a company whom it is about. */
function nameOfVerification({ kind, personId }: Verification): string {
  return personId === '' ? nameOfField(kind) : `${nameOfField(kind)} of person ${personId}`;
}

function nameOfDocument({ kind, side, type, bytes }: Document): string {
  const what = [kind === null ? 'Document' : nameOfField(kind), side].filter(Boolean).join(', ');
  return `${what} (${type.split('/')[1] ?? type}, ${Math.max(1, Math.round(bytes / 1024))} kB)`;
}

function isImage({ type }: Document): boolean {
  return type === 'image/png' || type === 'image/jpeg';
}

function addressOf(profile: string, { file }: Document): string {
  return `/api/customers/${profile}/documents/${file}`;
}
