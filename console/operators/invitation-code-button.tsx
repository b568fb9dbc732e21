import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Banner } from '../design/banner.tsx';
import { Button } from '../design/button.tsx';
import { Dialog, DialogActions, DialogClose } from '../design/dialog.tsx';
import { Copyable } from '../design/hash.tsx';

/** Makes the code of an invitation, for the operator who asked for the invitation: the approver has the link. */
export function InvitationCodeButton({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const make = useMutation({
    mutationFn: async () => {
      const options = { headers: { 'content-type': 'application/json' } };
      return (await api.operators[':name']['invitation-code'].$post({ param: { name } }, options)).json();
    },
  });
  const close = () => {
    setOpen(false);
    make.reset();
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>Code of the invitation</Button>
      {isOpen && (
        <Dialog open onOpenChange={close} title={`Code of the invitation of ${name}`}>
          {make.data ? (
            <>
              <p>Give this code to {name} alone. It is shown only now, and a new one takes its place.</p>
              <Copyable value={make.data.code} />
            </>
          ) : (
            <p>
              You asked for this invitation, so you make its code. Whoever approved it has the link. Make sure that it is {name} to whom you
              give the code, and nobody who asks for it in their name.
            </p>
          )}
          {make.error && <Banner tone="negative" title={make.error.message} />}
          <DialogActions>
            <DialogClose>Close</DialogClose>
            {!make.data && (
              <Button tone="primary" disabled={make.isPending} onClick={() => make.mutate()}>
                Make the code
              </Button>
            )}
          </DialogActions>
        </Dialog>
      )}
    </>
  );
}
