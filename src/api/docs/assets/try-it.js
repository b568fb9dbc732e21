// Sends operations from the reference of a sandbox, and gets tokens by the credentials of its own applications.
const root = document.documentElement.dataset.root;

for (const form of document.querySelectorAll('.try-it form')) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void report(form, () => send(form));
  });
  form.querySelector('.token')?.addEventListener('click', () => void report(form, () => enterToken(form)));
  form.querySelector('.credentials')?.addEventListener('click', () => void report(form, () => enterCredentials(form)));
}

/** Shows the outcome below the form, or why there is none. */
async function report(form, act) {
  const answered = form.querySelector('.answered');
  answered.textContent = '…';
  try {
    answered.replaceChildren(...(await act()));
  } catch (error) {
    answered.textContent = `It did not work: ${error.message}`;
  }
}

/** Enters a token into every form of the same application. */
async function enterToken({ dataset: { application } }) {
  const body = new URLSearchParams({ grant_type: 'client_credentials', ...(await credentialsOf(application)) });
  const { access_token: token } = await (await ok(fetch(`${root}/auth/token`, { method: 'POST', body }))).json();
  for (const input of document.querySelectorAll(`form[data-application="${application}"] [name=token]`)) input.value = token;
  return [`A token of the sandbox’s ${application} application, valid for an hour.`];
}

/** Enters the credentials of the sandbox's application in the place of those of the example. */
async function enterCredentials({ elements, dataset: { application } }) {
  const fields = new URLSearchParams(elements.body.value);
  for (const [name, value] of Object.entries(await credentialsOf(application))) fields.set(name, value);
  elements.body.value = fields.toString();
  return [`The credentials of the sandbox’s ${application} application.`];
}

async function credentialsOf(application) {
  const applications = await (await ok(fetch(`${root}/docs/credentials`))).json();
  const { clientId, clientSecret } = applications[application];
  return { client_id: clientId, client_secret: clientSecret };
}

async function ok(answering) {
  const answer = await answering;
  if (answer.ok) return answer;
  const { message } = await answer.json();
  throw new Error(message);
}

async function send({ elements, dataset: { method, path, type } }) {
  const valuesOf = (where) =>
    [...elements].flatMap(({ name, value }) =>
      name.startsWith(`${where}:`) && value !== '' ? [[name.slice(where.length + 1), value]] : [],
    );
  const filled = valuesOf('path').reduce((all, [name, value]) => all.replace(`{${name}}`, encodeURIComponent(value)), path);
  const query = new URLSearchParams(valuesOf('query'));
  const headers = new Headers(valuesOf('header'));
  if (elements.token?.value) headers.set('Authorization', `Bearer ${elements.token.value.trim()}`);
  const body = bodyOf(elements);
  if (elements.body) headers.set('Content-Type', type);
  const answer = await fetch(`${root}${filled}${query.size > 0 ? `?${query}` : ''}`, { method, headers, body });
  const text = await answer.text();
  const status = document.createElement('b');
  status.textContent = `${answer.status} ${answer.statusText}`;
  const shown = document.createElement('pre');
  shown.textContent = pretty(text);
  return text === '' ? [status] : [status, shown];
}

function bodyOf({ body, file }) {
  if (body) return body.value;
  if (!file) return undefined;
  const form = new FormData();
  form.append('file', file.files[0]);
  return form;
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
