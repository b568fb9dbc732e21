import { createHmac, randomBytes } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import { isLoopbackHost } from '../../../src/platform/http/loopback-host.ts';
import { faultOf } from './query-failures.ts';
import { currentNetwork } from './reader-turns.ts';

/** Rows in an answer to a reader's SQL: more are an error, because a cut-off answer looks like a whole one. */
export const maxReaderRows = 10_000;

/** Ponder refuses longer statements than 5,000 characters; the rest is for what is put around a reader's. */
const maxStatementLength = 4_800;

/**
 * Refuses pages in browsers: Ponder lets every origin read, and any page could ask what is expensive of a port on its visitor's machine. What listens on
 * a loopback address is asked by a loopback name.
 */
export const refuseBrowsers =
  (address: string): MiddlewareHandler =>
  async ({ req, text }, next) => {
    const isOfPage = req.header('Origin') !== undefined || (req.header('Sec-Fetch-Site') ?? 'none') !== 'none';
    if (isOfPage) return text('Pages in browsers may not read here', 403);
    const isForeign = isLoopbackHost(address) && !isLoopbackHost(req.header('Host') ?? new URL(req.url).host);
    return isForeign ? text('Ask by the loopback address on which this listens', 403) : next();
  };

/**
 * Bounds what a query of `GET /sql/db` or `GET /sql/live` costs (docs/indexed-data.md): a query that is malformed, is not one `select`, or answers
 * more than {@link maxReaderRows} rows is a 400. A live query is tried as an ordinary one first, since Ponder never gives the place of a failed one back.
 */
export function boundSql(request: (url: string) => Response | Promise<Response>): MiddlewareHandler {
  return async (context, next) => {
    const query = readQuery(context.req.query('sql'));
    if (query === undefined) return context.text(malformed, 400);
    if (growing.test(query.json.sql)) return context.text('A query may not join, replace or gather texts, nor use U&', 400);
    const url = new URL(context.req.url);
    if (url.pathname === '/sql/live') {
      const tried = await request(new URL(`/sql/db${url.search}`, url).href);
      if (!tried.ok) return context.text(await tried.text(), tried.status as 400);
    }
    url.searchParams.set('sql', JSON.stringify(withLimit(query)));
    context.req.raw = new Request(url, context.req.raw);
    await next();
    if (url.pathname !== '/sql/db') return undefined;
    // Ponder throws nothing else than that superjson cannot read it.
    if (context.error) context.res = context.text(malformed, 400);
    else if (!context.res.ok) {
      const refusal = refusalOf(await context.res.text());
      context.res = refusal === undefined ? context.text(unanswered, 503) : context.text(refusal, 400);
    }
    if (!context.res.ok) return undefined;
    const { rows } = (await context.res.clone().json()) as { rows: unknown[] };
    if (rows.length > maxReaderRows)
      context.res = context.text(
        `The query answers more than ${maxReaderRows} rows: ask for them in parts, by "order by" and "limit"`,
        400,
      );
    return undefined;
  };
}

/** What a short statement can make a gigabyte of, in the memory of PostgreSQL and of the readers' process. `U&` could hide a name. */
const growing = /\|\||\bu&|\b(?:replace|concat|json_\w+)\b/i;

/**
 * What is wrong with a statement that Ponder or PostgreSQL refused; undefined for another failure. Ponder's text for a statement that it cannot parse, which
 * two statements and all but a `select` are within the brackets of {@link withLimit}, is that of an object; for one refused before, `Invalid query`.
 */
function refusalOf(answer: string): string | undefined {
  const rule = 'A query is one "select" on the tables balance, supply and outcome';
  if (answer === '[object Object]' || answer === 'Invalid query') return `${rule}, in the syntax of PostgreSQL`;
  const fault = answer.endsWith(' not supported') ? answer : faultOf(answer);
  return fault === undefined ? undefined : `${rule}: ${fault}`;
}

const malformed = `"sql" must be JSON of the form {"json":{"sql":"select …","params":[]}}, at most ${maxStatementLength} characters`;

const unanswered = 'The query took longer than five seconds, or the database is out of reach: ask for less, or again later';

/** A statement as `@ponder/client` sends it: JSON of superjson, which keeps the types of parameters beside them. */
interface SqlQuery {
  json: { sql: string; params: unknown[] };
}

function readQuery(text: string | undefined): SqlQuery | undefined {
  try {
    const query = JSON.parse(text ?? '') as SqlQuery;
    const { sql, params } = query.json;
    return typeof sql === 'string' && sql.length < maxStatementLength && Array.isArray(params) ? query : undefined;
  } catch {
    return undefined;
  }
}

/** One row more than allowed, by which too many are noticed. The line break ends a comment at the end of the statement. */
function withLimit(query: SqlQuery): SqlQuery {
  const statement = query.json.sql.replace(/;\s*$/, '');
  const sql = `select * from (${statement}\n) as bounded limit ${maxReaderRows + 1} -- ${markOf(statement)}`;
  return { ...query, json: { ...query.json, sql } };
}

const markKey = randomBytes(32);

/**
 * A text that nobody can predict, the same each time for a statement of a network address: Ponder gives equal statements one result, for which nobody
 * shall wait in another's turn. Ponder remembers which statements it has allowed by 40 bits of their SHA-256:
 * within seconds anybody finds two with the same, of which one is allowed and the other reads every table.
 */
function markOf(statement: string): string {
  return createHmac('sha256', markKey).update(`${currentNetwork()} ${statement}`).digest('hex');
}
