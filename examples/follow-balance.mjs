// Prints what an account holds of a token, and again whenever it changes (docs/indexed-data.md). Needs Node 20 or newer and no package:
//   node examples/follow-balance.mjs http://127.0.0.1:42069 TOKEN ACCOUNT
import process from 'node:process';

const [indexer = 'http://127.0.0.1:42069', token = '', account = ''] = process.argv.slice(2);

const query = {
  sql: 'select amount::text from balance where token = $1 and account = $2',
  params: [token.toLowerCase(), account.toLowerCase()],
};
const search = new URLSearchParams({ sql: JSON.stringify({ json: query }) }).toString();

const first = await fetch(`${indexer}/sql/db?${search}`);
if (!first.ok) throw new Error(await first.text());
print(await first.text());

// Server-sent events: each `data:` line is an answer of the same form.
const live = await fetch(`${indexer}/sql/live?${search}`, { headers: { accept: 'text/event-stream' } });
if (!live.ok || live.body === null) throw new Error(await live.text());
let rest = '';
for await (const chunk of live.body.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + chunk).split('\n');
  rest = lines.pop() ?? '';
  for (const line of lines) if (line.startsWith('data: ')) print(line.slice('data: '.length));
}

/** Token units have 18 decimals. @param {string} answer */
function print(answer) {
  const [row] = JSON.parse(answer).rows;
  const digits = (row?.amount ?? '0').padStart(19, '0');
  console.log(`${digits.slice(0, -18)}.${digits.slice(-18, -16)}`);
}
