import { ActionButton } from '../design/action-button.tsx';
import { TextField } from '../design/form-field.tsx';
import type { Network } from './queries.ts';

/** Sends at once what waits on a network as dust, or because a gas budget holds it; not there while nothing is held. */
export function ReleaseButton({ network: { chain, name, openLegs } }: { network: Network }) {
  if (!openLegs.some(({ state }) => state === 'dust' || state === 'held')) return null;
  return (
    <ActionButton
      action="orders.release"
      label="Send what waits"
      title={`Send what waits on ${name}`}
      lead="Credits of small amounts wait to share a transaction. Orders that the gas budget of a profile holds wait for midnight UTC: with the profile they go now, and its budget begins anew."
      input={{ chain }}
      readForm={(form) => ({ reason: form.get('reason'), ...(form.get('profile') !== '' && { profile: form.get('profile') }) })}
    >
      <TextField
        name="profile"
        label="Profile"
        hint="Its id, to send what its gas budget holds. Empty for small credits."
        autoComplete="off"
      />
    </ActionButton>
  );
}
