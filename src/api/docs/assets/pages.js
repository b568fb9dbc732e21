// The search over guides and reference, and the list of contents on small screens. The pages work without it.
const root = document.documentElement.dataset.root;
const field = document.getElementById('search');
const form = field.form;
const hits = document.getElementById('hits');
const status = form.querySelector('[role=status]');
const contents = document.getElementById('contents');
const mostShown = 12;

document.documentElement.classList.add('scripted');
// Under a header that stays, and on a small screen above the page.
contents.addEventListener('click', (event) => {
  if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover();
});

let index;
const load = () =>
  (index ??= fetch(`${root}/docs/search.json`).then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error()))));

field.addEventListener('focus', () => void load().catch(() => (index = undefined)));
field.addEventListener('input', () => void search());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  void search().then(() => hits.querySelector('a')?.click());
});
form.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  event.preventDefault();
  const stops = [field, ...hits.querySelectorAll('a')];
  const step = event.key === 'ArrowDown' ? 1 : -1;
  stops[Math.min(Math.max(stops.indexOf(document.activeElement) + step, 0), stops.length - 1)].focus();
});
form.addEventListener('focusout', (event) => {
  if (event.relatedTarget && !form.contains(event.relatedTarget)) close();
});
hits.addEventListener('click', (event) => {
  if (event.target.closest('a')) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, textarea, select')) return;
  event.preventDefault();
  field.focus();
});

function close() {
  hits.hidden = true;
}

async function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let matches = [];
  try {
    matches = words.length === 0 ? [] : rank(await load(), words);
    status.textContent = words.length === 0 ? '' : `${matches.length} found`;
  } catch {
    index = undefined;
    status.textContent = 'The search is out of reach';
  }
  hits.replaceChildren(...matches.slice(0, mostShown).map(show));
  if (words.length > 0 && matches.length === 0) hits.textContent = status.textContent === '0 found' ? 'Nothing found' : status.textContent;
  hits.hidden = words.length === 0;
}

/** Entries with all the words, those that have them in the title first. */
function rank(entries, words) {
  const scored = entries.map((entry) => {
    const [title, context, text] = [entry.title, entry.context, entry.text].map((part) => part.toLowerCase());
    const scores = words.map((word) => {
      const at = title.indexOf(word);
      if (at >= 0) return at === 0 || title[at - 1] === ' ' ? 20 : 10;
      return context.includes(word) ? 5 : text.includes(word) ? 1 : 0;
    });
    return { entry, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score) };
  });
  return scored
    .filter(({ score }) => score > 0)
    .toSorted((first, second) => second.score - first.score)
    .map(({ entry }) => entry);
}

function show({ title, context, href }) {
  const link = document.createElement('a');
  link.href = `${root}/${href}`;
  const second = document.createElement('span');
  second.textContent = context;
  link.append(title, second);
  return link;
}
