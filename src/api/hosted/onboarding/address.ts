import { randomBytes } from 'node:crypto';
import { html } from 'hono/html';
import { z } from 'zod';
import { linkMessage, renderLinkMessage } from '../../../../client/messages.ts';
import { inOpenSession, type SignedInUser } from '../../../ledger/access/sessions.ts';
import { StopError } from '../../../platform/errors.ts';
import { baseUrl, type Settings } from '../../../platform/settings.ts';
import { isLinkingText } from '../../customers/linking-message.ts';
import { proveAndLink, type WithAccess } from '../../customers/prove-and-link.ts';
import * as input from '../../../wire/input-fields.ts';
import { readForm } from '../read-form.ts';
import { renderFields, renderProblem } from '../fields.ts';
import { type PageRequest, goTo, pageUrl, renderForm, show } from '../page-request.ts';
import { lastPage } from '../steps.ts';

/** `GET .../address`: lets the user link an address with a browser wallet (EIP-1193, `personal_sign`) or skip that. */
export function showAddress(pageRequest: PageRequest, user: SignedInUser, problem?: string): Response | Promise<Response> {
  const options = Object.keys(pageRequest.deps.settings.networks).map((name) => [name, name] as const);
  const field = { name: 'chain', label: 'Chain', autocomplete: 'off', options };
  // Of several chains the user chooses: an address that is linked on the wrong one receives nothing where it is expected.
  const only = options.length === 1 ? options[0]?.[0] : undefined;
  const values = { chain: pageRequest.form.get('chain') ?? only ?? '' };
  const form = html`${renderProblem(problem)} ${renderFields([field], { values, problems: {} })}
    <input type="hidden" name="address" /><input type="hidden" name="signature" /><input type="hidden" name="message" />
    <p id="wallet-problem" class="problem" role="alert" hidden></p>
    <button type="button" id="wallet" data-message="${messageTemplate(pageRequest, user)}" hidden>Sign with your wallet</button>
    <noscript><p class="hint">Your wallet needs JavaScript, which is off in this browser. You can link an address later.</p></noscript>`;
  const body = html`<p>
      Money that you receive arrives at an address of yours. Your wallet signs this sentence, with the names of this service and of your
      profile, which costs nothing:
    </p>
    <blockquote>${linkMessage}</blockquote>
    ${renderForm('address', pageRequest, form)}
    <p><a class="button secondary" href="${pageUrl(lastPage(pageRequest), pageRequest)}">Not now</a></p>`;
  return show(pageRequest, { title: 'Link your address', body, withWallet: true, status: problem === undefined ? 200 : 400 });
}

/** `POST .../address`. The signature of a contract account may be verified only after the answer, which then says so. */
export async function submitAddress(pageRequest: PageRequest, user: SignedInUser): Promise<Response> {
  const { context, deps, form } = pageRequest;
  const read = readForm(requestOf(deps.settings), form);
  if ('problems' in read) return showAddress(pageRequest, user, sentence(read.problems));
  if (user.defaultProfile === null) return goTo(lastPage(pageRequest), pageRequest);
  const proof = { ...read.data, profile: user.defaultProfile, user: user.id, sources: ['hosted pages'] as const };
  try {
    const link = await proveAndLink({ ...deps, withAccess: inSessionOf(pageRequest, user) }, proof, context.var.correlationId);
    return 'isContested' in link ? showCheck(pageRequest) : goTo(lastPage(pageRequest), pageRequest);
  } catch (error) {
    if (error instanceof StopError && error.code === 'not_authenticated') return goTo('sign-in', pageRequest);
    if (!(error instanceof StopError) || error.fields === undefined) throw error;
    return showAddress(pageRequest, user, sentence(error.fields));
  }
}

/** Nothing is linked by a session that has ended since its user was looked up. */
function inSessionOf({ deps }: PageRequest, user: SignedInUser): WithAccess {
  return async (write) => {
    const written = await inOpenSession(deps.ledger, user, async (tx) => ({ result: await write(tx) }));
    if (written === undefined) throw new StopError({ code: 'not_authenticated', message: 'The session has ended' });
    return written.result;
  };
}

function showCheck(pageRequest: PageRequest): Response | Promise<Response> {
  const body = html`<p>
      Your wallet is a contract, so the network decides whether its signature is valid. The address is linked as soon as it has, and you
      need not do anything now. If it does not appear in your account, sign again.
    </p>
    <p><a class="button" href="${pageUrl(lastPage(pageRequest), pageRequest)}">Continue</a></p>`;
  return show(pageRequest, { title: 'Your signature is being checked', body });
}

/** The linking message, into which the wallet's script puts the address and the chain (docs/api.md, Linking message). */
function messageTemplate({ deps }: PageRequest, { defaultProfile }: SignedInUser): string {
  return renderLinkMessage({
    service: new URL(baseUrl(deps.settings)).host,
    profile: defaultProfile ?? '',
    address: '{address}',
    chain: '{chain}',
    nonce: randomBytes(16).toString('hex'),
    issuedAt: new Date().toISOString(),
  });
}

function requestOf(settings: Settings) {
  return z.object({
    address: input.address,
    chain: input.chain(settings),
    // Browsers send line breaks of forms as CR LF.
    message: z
      .string()
      .max(1_000)
      .transform((text) => text.replaceAll('\r\n', '\n'))
      .refine((text) => text !== linkMessage && isLinkingText(text), 'is not the message of this page'),
    signature: input.signature,
  });
}

function sentence(problems: Record<string, string>): string {
  const texts = Object.entries(problems).map(([field, text]) => `${field}: ${text}`);
  return `The address was not linked (${texts.join('; ')}).`;
}
