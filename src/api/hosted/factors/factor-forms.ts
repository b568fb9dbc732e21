import { html } from 'hono/html';
import { startAssertion } from '../../../ledger/access/factors/passkey-ceremonies.ts';
import { countRecoveryCodes } from '../../../ledger/access/factors/recovery-codes.ts';
import { findSecondFactors } from '../../../ledger/access/factors/second-factors.ts';
import type { Subject } from '../../../ledger/access/subject.ts';
import { type Field, renderFields } from '../fields.ts';
import type { Html } from '../page.ts';
import { type PageName, type PageRequest, renderForm } from '../page-request.ts';
import { browserHash, relyingParty } from './relying-party.ts';

/** A code of the user's app. */
export const codeField: Field = { name: 'code', label: 'Code from your app', autocomplete: 'one-time-code' };

const recoveryCodeField: Field = { name: 'recoveryCode', label: 'Recovery code', autocomplete: 'off' };

/** Forms by which a user gives any factor that they have. */
export interface FactorForms {
  content: Html;
  /** Whether the page needs the script that asks for a passkey. */
  withPasskey: boolean;
}

/** The forms of every factor of a user, each submitted to a page; `hidden` stands in each. Begins to ask for a passkey if the user has one. */
export async function renderFactorForms(
  name: PageName,
  pageRequest: PageRequest,
  { subject, purpose, hidden = html`` }: { subject: Subject; purpose: 'second-factor' | 'proof'; hidden?: Html },
): Promise<FactorForms> {
  const { ledger } = pageRequest.deps;
  const [factors, codes] = [await findSecondFactors(ledger, subject), await countRecoveryCodes(ledger, subject)];
  const withPasskey = factors.passkeys > 0;
  const passkey = withPasskey ? await renderPasskey(name, pageRequest, { subject, purpose, hidden }) : '';
  const form = (method: string, content: Html) =>
    renderForm(name, pageRequest, html`${hidden}<input type="hidden" name="method" value="${method}" />${content}`);
  const empty = { values: {}, problems: {} };
  const code = factors.hasTotp ? form('code', html`${renderFields([codeField], empty)}<button>Continue</button>`) : '';
  const recovery =
    codes === 0
      ? ''
      : html`<details>
          <summary>Use a recovery code</summary>
          ${form('recovery-code', html`${renderFields([recoveryCodeField], empty)}<button class="secondary">Continue</button>`)}
        </details>`;
  return { content: html`${passkey} ${code} ${recovery}`, withPasskey };
}

async function renderPasskey(
  name: PageName,
  pageRequest: PageRequest,
  { subject, purpose, hidden }: { subject: Subject; purpose: 'second-factor' | 'proof'; hidden: Html },
): Promise<Html> {
  const awaited = { holder: browserHash(pageRequest), purpose, subject };
  const options = await startAssertion(pageRequest.deps.ledger, relyingParty(pageRequest), awaited);
  return renderPasskeyForm(name, pageRequest, { ceremony: 'get', options, label: 'Use a passkey', fields: hidden });
}

/** A form that asks the browser for a passkey and sends its answer; `fields` stand above the button. The page needs `withPasskey`. */
export function renderPasskeyForm(
  name: PageName,
  pageRequest: PageRequest,
  { ceremony, options, label, fields = html`` }: { ceremony: 'create' | 'get'; options: object; label: string; fields?: Html },
): Html {
  return renderForm(
    name,
    pageRequest,
    html`${fields} <input type="hidden" name="method" value="passkey" /><input type="hidden" name="answer" />
      <p id="passkey-problem" class="problem" role="alert" hidden></p>
      <button id="passkey" data-ceremony="${ceremony}" data-options="${JSON.stringify(options)}" hidden>${label}</button>
      <noscript><p class="hint">Passkeys need JavaScript, which is off in this browser.</p></noscript>`,
  );
}
