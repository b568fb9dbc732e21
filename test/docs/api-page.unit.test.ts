import { expect, it } from 'vitest';
import { historyLegs, orderHistoryTypes } from '../../src/ledger/orders/order-history.ts';
import { chainNames } from '../../src/platform/chains.ts';
import { testProblems } from './named-tests.ts';
import { read } from './pages.ts';

/** `GET /orders` and so on, from the client's types, which are generated from the API's own OpenAPI document. */
function servedEndpoints(): string[] {
  const paths = /export interface paths \{\n(.*?)^\}/ms.exec(read('client/openapi.ts'))?.[1] ?? '';
  return paths.split(/^ {4}(?=")/m).flatMap((path) => {
    const [, name = ''] = /^"([^"]+)"/.exec(path) ?? [];
    return [...path.matchAll(/^ {8}(get|post|put|patch|delete): /gm)].map(([, method = '']) => `${method.toUpperCase()} ${name}`);
  });
}

/** The endpoints in the first column of the tables of docs/api.md. */
function documentedEndpoints(): string[] {
  const rows = [...read('docs/api.md').matchAll(/^\| (`(?:GET|POST|PUT|PATCH|DELETE) [^|]+) \|/gm)];
  return rows.flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, endpoint = '']) => endpoint));
}

it('lists every endpoint that is served, once, and no other', () => {
  expect(servedEndpoints().length).toBeGreaterThan(40);
  expect(documentedEndpoints().toSorted()).toEqual(servedEndpoints().toSorted());
});

it('names every chain', () => {
  const section = /^### Chains\n(.*?)^###/ms.exec(read('docs/api.md'))?.[1] ?? '';
  expect(chainNames.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

it('describes every type of an order’s history, and every kind of leg', () => {
  const section = /^### Order history\n(.*?)^###/ms.exec(read('docs/api.md'))?.[1] ?? '';
  expect([...orderHistoryTypes, ...historyLegs].filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

it('has a reason and a test that is there for each restriction of its own, and a way to switch it where there is one', () => {
  const section = /^## Restrictions of its own\n(.*?)^## /ms.exec(read('docs/api.md'))?.[1] ?? '';
  const tables = section.split('\n\n').map((table) => table.split('\n').filter((line) => line.startsWith('| ')));
  const rows = tables.flatMap(([head = '', ...body]) => body.map((row) => ({ row, columns: head.split(' | ').length })));
  expect(rows.length).toBeGreaterThan(20);
  const problems = rows.flatMap(({ row, columns }) => {
    const cells = row.slice(2, -2).split(' | ');
    const isWhole = cells.length === columns && !cells.includes('');
    return (isWhole ? testProblems(cells.at(-1) ?? '') : ['has not a text in each cell']).map((problem) => `${cells[0]}: ${problem}`);
  });
  expect(problems).toEqual([]);
});
