import { useMutation } from '@tanstack/react-query';
import { type ChangeEvent, useId } from 'react';
import { carryOut } from '../api/actions.ts';
import { refetchTopics } from '../api/query-client.ts';
import { useSession } from '../api/session-context.ts';
import { Banner } from '../design/banner.tsx';
import styles from './networks.module.css';

/** Takes the signatures out of a proposal's file that owners have signed elsewhere. */
export function SignatureFile({ transaction }: { transaction: string }) {
  const id = useId();
  const { actions } = useSession();
  const add = useMutation({
    mutationFn: async (file: File) => carryOut('networks.sign', { transaction, signatures: signaturesOf(await file.text()) }),
    onSuccess: async () => refetchTopics(['networks']),
  });
  if (!actions.includes('networks.sign')) return null;
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const [file] = currentTarget.files ?? [];
    if (file) add.mutate(file);
    currentTarget.value = '';
  };
  return (
    <div className={styles.lines}>
      <label htmlFor={id}>Bring the signatures of a file that owners have signed:</label>
      <input id={id} type="file" accept=".json,application/json" className={styles.file} onChange={choose} disabled={add.isPending} />
      {add.error && <Banner tone="negative" title={add.error.message} />}
      {add.data && <Banner tone="positive" title="The signatures of the file are there." />}
    </div>
  );
}

/** The server verifies them. */
function signaturesOf(text: string): unknown[] {
  const { signatures } = JSON.parse(text) as { signatures?: unknown };
  if (Array.isArray(signatures) && signatures.length > 0) return signatures;
  throw new Error('The file has no signatures.');
}
