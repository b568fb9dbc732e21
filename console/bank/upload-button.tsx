import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { refetchTopics } from '../api/query-client.ts';
import { request } from '../api/request.ts';
import { hasRole, useSession } from '../api/session-context.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../design/dialog.tsx';
import { TextField } from '../design/form-field.tsx';
import { FileReportView } from './file-report.tsx';
import type { FileReport } from './queries.ts';

/** Uploads a file of the bank, and shows its report, or for whom it waits, or why nothing of it was applied. */
export function UploadButton() {
  const [open, setOpen] = useState(false);
  const session = useSession();
  if (!hasRole(session, ['treasurer'])) return null;
  return (
    <>
      <Button tone="primary" onClick={() => setOpen(true)}>
        Upload a file
      </Button>
      {open && <UploadDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function UploadDialog({ onClose }: { onClose: () => void }) {
  const upload = useMutation({ mutationFn: send, onSuccess: async () => refetchTopics(['bank', 'orders', 'status']) });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const file = new FormData(event.currentTarget).get('file');
    if (file instanceof File && file.name !== '') upload.mutate(file);
  };
  return (
    <Dialog open onOpenChange={onClose} title="Upload a file of the bank" wide={upload.data !== undefined}>
      {upload.data ? (
        <>
          <Outcome outcome={upload.data} />
          <DialogActions>
            <DialogClose>Close</DialogClose>
          </DialogActions>
        </>
      ) : (
        <form onSubmit={submit}>
          <TextField
            name="file"
            label="File"
            type="file"
            accept=".xml,text/xml,application/xml"
            required
            hint="camt.053, camt.054, camt.052 or pain.002. It is applied whole or not at all."
          />
          {upload.error && (
            <Banner tone="negative" title="Nothing of the file was applied.">
              {upload.error.message}
            </Banner>
          )}
          <DialogActions>
            <DialogClose>Cancel</DialogClose>
            <Button type="submit" tone="primary" disabled={upload.isPending}>
              {upload.isPending ? 'Reading…' : 'Upload'}
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  );
}

function Outcome({ outcome }: { outcome: UploadOutcome }) {
  if (outcome.state === 'waiting')
    return (
      <Banner tone="info" title="A second person has to approve this.">
        It waits under Approvals until another operator has compared it with what the bank sent. Nothing of it is applied before.
      </Banner>
    );
  const isApplied = outcome.state === 'applied';
  return (
    <>
      <Banner
        tone={isApplied ? 'positive' : 'info'}
        title={isApplied ? 'The file is applied.' : 'It was imported before: nothing changed.'}
      />
      <FileReportView report={outcome} />
    </>
  );
}

/** What became of an upload: the report of the import, or the approval that it waits for. */
type UploadOutcome = FileReport | { state: 'waiting'; approval: string };

async function send(file: File): Promise<UploadOutcome> {
  const response = await request(`/api/bank/files?${new URLSearchParams({ name: file.name }).toString()}`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
  return (await response.json()) as UploadOutcome;
}
