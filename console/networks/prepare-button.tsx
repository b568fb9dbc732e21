import { useState } from 'react';
import { ActionButton } from '../design/action-button.tsx';
import { ButtonLink } from '../design/button.tsx';
import { SelectField, TextField } from '../design/form-field.tsx';
import type { Network } from './queries.ts';

const kinds = [
  { value: 'allowance', label: 'Set what an operator may issue' },
  { value: 'grant', label: 'Give a role' },
  { value: 'revoke', label: 'Take a role away' },
  { value: 'pause', label: 'Pause the token' },
  { value: 'unpause', label: 'Resume the token' },
  { value: 'block', label: 'Block an account' },
  { value: 'unblock', label: 'Unblock an account' },
  { value: 'upgrade', label: 'Replace the code' },
] as const;

type Kind = (typeof kinds)[number]['value'];

const addressPattern = '0x[0-9a-fA-F]{40}';
const amountPattern = '[0-9]+([.][0-9]{1,2})?';

/** Prepares a change of a token for the owners of its Safe. */
export function PrepareButton({ networks, roles }: { networks: readonly Network[]; roles: readonly string[] }) {
  const [kind, setKind] = useState<Kind>('allowance');
  const tokens = networks.flatMap(({ chain, name, tokens: ofNetwork }) =>
    ofNetwork.map(({ currency, symbol, address }) => ({ value: `${chain}:${currency}`, label: `${symbol} on ${name} · ${address}` })),
  );
  const signers = [...new Set(networks.flatMap(({ lanes }) => lanes.map(({ signer }) => signer)))];
  return (
    <ActionButton
      action="networks.prepare"
      label="Prepare a change"
      title="Prepare a change of a token"
      tone="primary"
      lead="The change becomes a transaction of the Safe that administers the token. It is simulated now; nothing happens until enough of the Safe’s owners have signed it."
      readForm={readChange}
      renderResult={(result) => (
        <ButtonLink to="/networks/transactions/$id" params={{ id: (result as { transaction: string }).transaction }} tone="primary">
          Look at it and sign
        </ButtonLink>
      )}
    >
      <SelectField name="token" label="Token" options={tokens} required />
      <SelectField
        name="kind"
        label="Change"
        options={kinds}
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
      />
      <ChangeFields kind={kind} roles={roles} signers={signers} />
    </ActionButton>
  );
}

function ChangeFields({ kind, roles, signers }: { kind: Kind; roles: readonly string[]; signers: readonly string[] }) {
  switch (kind) {
    case 'allowance':
      return (
        <>
          <AddressField name="operator" label="Operator" hint="The signer that issues." suggestions={signers} />
          <TextField
            name="allowance"
            label="May issue, in whole units"
            hint="Until it is raised again, such as 1000000.00. What the operator issues until the change is made is taken off."
            inputMode="decimal"
            pattern={amountPattern}
            required
            autoComplete="off"
          />
          <TextField
            name="dailyLimit"
            label="May issue in a day of UTC"
            hint="Empty leaves it as it is."
            inputMode="decimal"
            pattern={amountPattern}
            autoComplete="off"
          />
        </>
      );
    case 'grant':
    case 'revoke':
      return (
        <>
          <SelectField name="role" label="Role" options={roles.map((role) => ({ value: role, label: role }))} required />
          <AddressField name="account" label={kind === 'grant' ? 'Account that gets it' : 'Account that loses it'} suggestions={signers} />
        </>
      );
    case 'block':
    case 'unblock':
      return <AddressField name="account" label="Account" suggestions={[]} />;
    case 'upgrade':
      return (
        <>
          <AddressField
            name="implementation"
            label="Address of the code"
            hint="`mintrail token upgrade` deploys that of a release."
            suggestions={[]}
          />
          <TextField
            name="codeHash"
            label="keccak256 of the code"
            hint="Only where it is not the code of this release, after you have reviewed it."
            pattern="0x[0-9a-fA-F]{64}"
            autoComplete="off"
            spellCheck={false}
          />
        </>
      );
    default:
      return null;
  }
}

function AddressField({ name, label, hint, suggestions }: { name: string; label: string; hint?: string; suggestions: readonly string[] }) {
  const list = `${name}-suggestions`;
  return (
    <>
      <TextField
        name={name}
        label={label}
        hint={hint}
        pattern={addressPattern}
        placeholder="0x…"
        list={list}
        required
        autoComplete="off"
        spellCheck={false}
      />
      <datalist id={list}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}

/** The token's field stands for its network and currency; what is empty is left out. */
function readChange(form: FormData): Record<string, unknown> {
  const texts = [...form].flatMap(([name, value]) => (typeof value === 'string' && value !== '' ? [[name, value] as const] : []));
  const { token = '', ...rest } = Object.fromEntries(texts);
  const [chain, currency] = token.split(':');
  return { chain, currency, ...rest };
}
