import { html } from 'hono/html';
import type { Html } from '../page.ts';
import { type PageName, type PageRequest, renderForm } from '../page-request.ts';

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
