import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accounts, bankAccount } from '../../src/ledger/book/accounts.ts';
import { recordEntries } from '../../src/ledger/book/entries.ts';
import { inTransaction } from '../../src/ledger/ledger.ts';
import { minorUnits } from '../../src/platform/money.ts';
import { hasChromium } from '../support/chromium/chromium.ts';
import { createConsolePages } from './support/console-pages.ts';

/** Keeps what stands on each canvas: the text, and whether it is within. */
const keepLabels = `window.labels = new Map();
const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.clearRect = function (...area) {
  window.labels.delete(this.canvas);
  return clearRect.apply(this, area);
};
CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
  const { actualBoundingBoxRight, actualBoundingBoxLeft } = this.measureText(text);
  const { e } = this.getTransform();
  const isWithin = e + x - actualBoundingBoxLeft >= 0 && e + x + actualBoundingBoxRight <= this.canvas.width;
  window.labels.set(this.canvas, [...(window.labels.get(this.canvas) ?? []), { text, isWithin }]);
  return fillText.call(this, text, x, y);
};`;
/** The labels of each canvas that is on the page. */
const labelsOfCanvases = '[...document.querySelectorAll("canvas")].map((canvas) => window.labels.get(canvas) ?? [])';

interface Label {
  text: string;
  isWithin: boolean;
}

describe.runIf(hasChromium)('the charts of the overview', () => {
  let console: Awaited<ReturnType<typeof createConsolePages>>;
  beforeAll(async () => {
    console = await createConsolePages();
    const entry = { kind: 'credit', source: 'c1', debit: bankAccount('main'), credit: accounts.issue } as const;
    await inTransaction(console.ledger, (tx) => recordEntries(tx, [{ ...entry, currency: 'eur', amount: minorUnits(100n) }]));
  });
  afterAll(() => console?.close());

  it('of the first minutes name each minute once, and no time is cut', async () => {
    await sql`insert into reserve_samples select 'minute', date_trunc('minute', now()) - make_interval(mins => n), 'eur', 100, 100, '{"gnosis": "0"}'
      from generate_series(0, 3) n`.execute(console.ledger);
    const { page, context } = await console.openAs('viewer', '/about:blank');
    await page.addInitScript(keepLabels);
    await page.goto(console.url);
    await page.getByRole('figure', { name: /^Money under way/ }).waitFor();
    const charts = () => page.evaluate<Label[][]>(labelsOfCanvases);
    await expect.poll(charts).toEqual([expect.arrayContaining([expect.anything()]), expect.arrayContaining([expect.anything()])]);
    for (const labels of await charts()) {
      expect(labels.filter(({ isWithin }) => !isWithin)).toEqual([]);
      const times = labels.map(({ text }) => text).filter((text) => text.includes(':'));
      expect(times).toHaveLength(4);
      expect(new Set(times).size).toBe(4);
    }
    await context.close();
  });
});
